#define _GNU_SOURCE
#include "CFixtureSystem.h"
