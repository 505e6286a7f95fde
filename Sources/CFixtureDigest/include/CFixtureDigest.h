#pragma once
#include <stddef.h>
#include <stdint.h>

/* The compression function of SHA-256 by the processor's own instructions (the SHA extensions of
   x86-64). Works in memory only: no call of the system, no allocation.

   state: the eight working words, a to h. constants: the 64 words of FIPS 180-4 §4.2.2.
   blocks: count times 64 bytes, at any alignment. Returns 0, and changes nothing, where the
   processor has no such instructions. */
int fixture_sha256_compress(
    uint32_t *state, const uint32_t *constants, const void *blocks, size_t count);
