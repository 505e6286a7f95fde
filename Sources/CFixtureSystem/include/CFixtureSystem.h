#pragma once
// What Glibc's Swift module lacks or spells differently on every platform: epoll, timerfd, eventfd,
// signalfd and the socket calls of the event loop. Only plain types appear here, so that nothing
// Glibc's own module defines is defined a second time.
//
// Unless a comment says otherwise a function makes exactly one system call and returns its result,
// or the negated errno: a caller can't lose errno between the call and the look at it. Nothing is
// retried here; the policy for EINTR is Syscalls.swift's.

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// Readiness as epoll spells it; CFixtureSystem.c checks that the numbers are epoll's.
#define FIXTURE_READABLE 0x0001u
#define FIXTURE_WRITABLE 0x0004u
#define FIXTURE_FAILED 0x0008u
#define FIXTURE_HUNG_UP 0x0010u
#define FIXTURE_PEER_FINISHED 0x2000u
#define FIXTURE_EDGE_TRIGGERED 0x80000000u

// The most events one fixture_poller_wait can report.
#define FIXTURE_EVENTS_MAX 128

struct fixture_event {
  uint64_t token;
  uint32_t readiness;
};

// epoll_create1(EPOLL_CLOEXEC)
int fixture_poller_create(void);
// epoll_ctl(EPOLL_CTL_ADD), _MOD and _DEL. The token comes back with each event.
int fixture_poller_add(int poller, int descriptor, uint32_t readiness, uint64_t token);
int fixture_poller_modify(int poller, int descriptor, uint32_t readiness, uint64_t token);
int fixture_poller_remove(int poller, int descriptor);
// epoll_wait: up to FIXTURE_EVENTS_MAX events; waits for ever when timeout_ms is -1.
int fixture_poller_wait(int poller, struct fixture_event *events, int timeout_ms);

// timerfd_create on CLOCK_MONOTONIC, nonblocking and close-on-exec.
int fixture_timer_create(void);
// timerfd_settime with an absolute deadline on CLOCK_MONOTONIC; 0 disarms. Setting it also clears
// an expiry that was not read yet.
int fixture_timer_set(int timer, int64_t deadline_ns);

// eventfd(0), nonblocking and close-on-exec.
int fixture_wakeup_create(void);
// write of 1 to an eventfd.
int fixture_wakeup_signal(int wakeup);

// clock_gettime of CLOCK_MONOTONIC and CLOCK_REALTIME, in ns. Neither can fail.
int64_t fixture_clock_monotonic_ns(void);
int64_t fixture_clock_realtime_ns(void);

// pthread_sigmask(SIG_BLOCK) of the given signals for the calling thread and those it starts.
int fixture_signals_block(const int *signals, size_t count);
// pthread_sigmask(SIG_UNBLOCK) of the given signals for the calling thread.
int fixture_signals_unblock(const int *signals, size_t count);
// sigaction: whether the signal is ignored now; 0 also when it can't be asked.
int fixture_signal_is_ignored(int signal);
// signalfd for the given signals, nonblocking and close-on-exec.
int fixture_signals_open(const int *signals, size_t count);
// read of one signalfd_siginfo; its signal number.
int fixture_signals_read(int descriptor);

// socket(family, SOCK_STREAM), nonblocking and close-on-exec.
int fixture_socket_create(int family);
int fixture_socket_bind(int descriptor, const struct sockaddr *address, socklen_t length);
int fixture_socket_listen(int descriptor, int backlog);
// accept4, nonblocking and close-on-exec.
int fixture_socket_accept(int descriptor);
int fixture_socket_connect(int descriptor, const struct sockaddr *address, socklen_t length);
// getsockname and getpeername; the room is the size of a sockaddr_storage.
int fixture_socket_name(int descriptor, struct sockaddr *address);
int fixture_socket_peer(int descriptor, struct sockaddr *address);
// recv
ptrdiff_t fixture_socket_read(int descriptor, void *bytes, size_t count);
// send(MSG_NOSIGNAL): a peer that is gone is EPIPE, never SIGPIPE. With more (MSG_MORE), the kernel
// waits for what follows before it sends a packet that is not full.
ptrdiff_t fixture_socket_write(int descriptor, const void *bytes, size_t count, int more);
// sendmsg(MSG_NOSIGNAL) of two pieces, in one system call.
ptrdiff_t fixture_socket_write_both(
    int descriptor, const void *first, size_t first_count, const void *second, size_t second_count);
// shutdown(SHUT_RDWR): a listener listens no more, and keeps its port.
int fixture_socket_shutdown(int descriptor);
// shutdown(SHUT_WR)
int fixture_socket_shutdown_write(int descriptor);
// getsockopt(SO_ERROR): 0, or the pending error as a positive errno, which it clears.
int fixture_socket_pending_error(int descriptor);
// recv(MSG_PEEK) of one byte, which stays unread.
ptrdiff_t fixture_socket_peek(int descriptor);
// setsockopt: TCP_NODELAY, SO_REUSEADDR and SO_LINGER with a time of 0 (close then sends RST).
int fixture_socket_set_no_delay(int descriptor);
int fixture_socket_set_reuse_address(int descriptor, int reused);
int fixture_socket_set_linger_zero(int descriptor);
// setsockopt(TCP_MAXSEG)
int fixture_socket_set_segment_size(int descriptor, int count);
// setsockopt(TCP_CONGESTION, "reno"): nothing is held back to be sent at even distances.
int fixture_socket_set_unpaced(int descriptor);
// setsockopt(TCP_NOTSENT_LOWAT): no more is taken while this much has not been sent yet.
int fixture_socket_set_unsent_max(int descriptor, int bytes);
// setsockopt(IPV6_V6ONLY, 0): an unspecified IPv6 address also takes IPv4 connections.
int fixture_socket_set_dual_stack(int descriptor);
int fixture_close(int descriptor);

// Anonymous memory of its own (mmap), aligned so that huge pages fit, which are asked for (madvise,
// whose result doesn't matter). count: a multiple of 2 MiB.
int fixture_pages_create(size_t count, void **pages);
// munmap
void fixture_pages_free(void *pages, size_t count);
// pipe2, nonblocking and close-on-exec: the end to read and the end to write.
int fixture_pipe_create(int ends[2]);
// fcntl(F_SETPIPE_SZ): the room it has then.
int fixture_pipe_set_room(int end, int count);
// vmsplice: the pipe holds the pages of the bytes, not a copy.
ptrdiff_t fixture_pipe_put_pages(int end, const void *bytes, size_t count);
// splice from a pipe to a descriptor; more as for fixture_socket_write. A peer that is gone is
// EPIPE and SIGPIPE.
ptrdiff_t fixture_pipe_move(int end, int descriptor, size_t count, int more);
// open of /dev/null, close-on-exec.
int fixture_sink_open(void);

// getrlimit and setrlimit of RLIMIT_NOFILE: raises the soft limit to the hard one; the limit in
// force afterwards, at most INT_MAX.
int fixture_descriptors_raise_limit(void);
// The soft limit, at most INT_MAX.
int fixture_descriptors_limit(void);
// Makes the kernel's table hold so many descriptors, at least 1 and at most the soft limit:
// F_DUPFD_CLOEXEC to the last of them, and close.
int fixture_descriptors_reserve(int count);
// pthread_setname_np of the calling thread; Linux takes up to 15 bytes.
int fixture_thread_set_name(const char *name);

// strerrorname_np and strerrordesc_np: the constant's name and its meaning, NULL when unknown.
const char *fixture_error_name(int error);
const char *fixture_error_meaning(int error);

// A pointer each thread has of its own, NULL at first: the event loops that live on the thread.
void *fixture_thread_loops(void);
void fixture_thread_set_loops(void *loops);
