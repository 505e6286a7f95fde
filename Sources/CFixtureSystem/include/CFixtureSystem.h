#pragma once
// What Glibc's Swift module lacks: epoll, timerfd, eventfd, accept4. Each function is documented
// in CFixtureSystem.c, where _GNU_SOURCE may be defined without changing Glibc's own module.
