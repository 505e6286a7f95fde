#define _GNU_SOURCE
#include "CFixtureSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

_Static_assert(FIXTURE_READABLE == EPOLLIN, "readable");
_Static_assert(FIXTURE_WRITABLE == EPOLLOUT, "writable");
_Static_assert(FIXTURE_FAILED == EPOLLERR, "failed");
_Static_assert(FIXTURE_HUNG_UP == EPOLLHUP, "hung up");
_Static_assert(FIXTURE_PEER_FINISHED == EPOLLRDHUP, "peer finished");
_Static_assert(FIXTURE_EDGE_TRIGGERED == (uint32_t)EPOLLET, "edge triggered");

static int result(int value) {
  return value < 0 ? -errno : value;
}

// Polling

int fixture_poller_create(void) {
  return result(epoll_create1(EPOLL_CLOEXEC));
}

static int control(int poller, int operation, int descriptor, uint32_t readiness, uint64_t token) {
  struct epoll_event event = {.events = readiness, .data.u64 = token};
  return result(epoll_ctl(poller, operation, descriptor, &event));
}

int fixture_poller_add(int poller, int descriptor, uint32_t readiness, uint64_t token) {
  return control(poller, EPOLL_CTL_ADD, descriptor, readiness, token);
}

int fixture_poller_modify(int poller, int descriptor, uint32_t readiness, uint64_t token) {
  return control(poller, EPOLL_CTL_MOD, descriptor, readiness, token);
}

int fixture_poller_remove(int poller, int descriptor) {
  return control(poller, EPOLL_CTL_DEL, descriptor, 0, 0);
}

// The kernel's event is packed on x86-64, which Swift would have to read unaligned: copied here.
int fixture_poller_wait(int poller, struct fixture_event *events, int timeout_ms) {
  struct epoll_event ready[FIXTURE_EVENTS_MAX];
  int count = epoll_wait(poller, ready, FIXTURE_EVENTS_MAX, timeout_ms);
  if (count < 0) return -errno;
  for (int index = 0; index < count; index++) {
    events[index].token = ready[index].data.u64;
    events[index].readiness = ready[index].events;
  }
  return count;
}

// Timer, wake-up, clocks

int fixture_timer_create(void) {
  return result(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
}

int fixture_timer_set(int timer, int64_t deadline_ns) {
  struct itimerspec setting = {
      .it_value = {.tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000}};
  return result(timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL));
}

int fixture_wakeup_create(void) {
  return result(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

int fixture_wakeup_signal(int wakeup) {
  uint64_t one = 1;
  return result((int)write(wakeup, &one, sizeof one));
}

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t fixture_clock_monotonic_ns(void) {
  return clock_ns(CLOCK_MONOTONIC);
}

int64_t fixture_clock_realtime_ns(void) {
  return clock_ns(CLOCK_REALTIME);
}

// Signals

static sigset_t signal_set(const int *signals, size_t count) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t index = 0; index < count; index++) sigaddset(&set, signals[index]);
  return set;
}

int fixture_signals_block(const int *signals, size_t count) {
  sigset_t set = signal_set(signals, count);
  return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int fixture_signals_unblock(const int *signals, size_t count) {
  sigset_t set = signal_set(signals, count);
  return -pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

int fixture_signal_is_ignored(int signal) {
  struct sigaction action;
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int fixture_signals_open(const int *signals, size_t count) {
  sigset_t set = signal_set(signals, count);
  return result(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

int fixture_signals_read(int descriptor) {
  struct signalfd_siginfo info;
  ssize_t count = read(descriptor, &info, sizeof info);
  if (count < 0) return -errno;
  return count == sizeof info ? (int)info.ssi_signo : -EIO;
}

// Sockets

int fixture_socket_create(int family) {
  return result(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

int fixture_socket_bind(int descriptor, const struct sockaddr *address, socklen_t length) {
  return result(bind(descriptor, address, length));
}

int fixture_socket_listen(int descriptor, int backlog) {
  return result(listen(descriptor, backlog));
}

int fixture_socket_accept(int descriptor) {
  return result(accept4(descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

int fixture_socket_connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  return result(connect(descriptor, address, length));
}

int fixture_socket_name(int descriptor, struct sockaddr *address) {
  socklen_t length = sizeof(struct sockaddr_storage);
  return result(getsockname(descriptor, address, &length));
}

int fixture_socket_peer(int descriptor, struct sockaddr *address) {
  socklen_t length = sizeof(struct sockaddr_storage);
  return result(getpeername(descriptor, address, &length));
}

ptrdiff_t fixture_socket_read(int descriptor, void *bytes, size_t count) {
  ssize_t received = recv(descriptor, bytes, count, 0);
  return received < 0 ? -errno : received;
}

ptrdiff_t fixture_socket_write(int descriptor, const void *bytes, size_t count, int more) {
  ssize_t sent = send(descriptor, bytes, count, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
  return sent < 0 ? -errno : sent;
}

ptrdiff_t fixture_socket_write_both(
    int descriptor, const void *first, size_t first_count, const void *second,
    size_t second_count) {
  struct iovec pieces[2] = {
      {.iov_base = (void *)first, .iov_len = first_count},
      {.iov_base = (void *)second, .iov_len = second_count},
  };
  struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
  ssize_t sent = sendmsg(descriptor, &message, MSG_NOSIGNAL);
  return sent < 0 ? -errno : sent;
}

int fixture_socket_shutdown(int descriptor) {
  return result(shutdown(descriptor, SHUT_RDWR));
}

int fixture_socket_shutdown_write(int descriptor) {
  return result(shutdown(descriptor, SHUT_WR));
}

int fixture_socket_pending_error(int descriptor) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return -errno;
  return error;
}

ptrdiff_t fixture_socket_peek(int descriptor) {
  char byte;
  ssize_t received = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return received < 0 ? -errno : received;
}

static int set_option(int descriptor, int level, int name, int value) {
  return result(setsockopt(descriptor, level, name, &value, sizeof value));
}

int fixture_socket_set_no_delay(int descriptor) {
  return set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
}

int fixture_socket_set_segment_size(int descriptor, int count) {
  return set_option(descriptor, IPPROTO_TCP, TCP_MAXSEG, count);
}

int fixture_socket_set_reuse_address(int descriptor, int reused) {
  return set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, reused);
}

int fixture_socket_set_unpaced(int descriptor) {
  static const char name[] = "reno";
  return result(setsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, name, sizeof name - 1));
}

int fixture_socket_set_unsent_max(int descriptor, int bytes) {
  return set_option(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, bytes);
}

int fixture_socket_set_linger_zero(int descriptor) {
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  return result(setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
}

int fixture_socket_set_dual_stack(int descriptor) {
  return set_option(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 0);
}

int fixture_close(int descriptor) {
  return result(close(descriptor));
}

// Pages

#define HUGE_PAGE ((size_t)2 << 20)

int fixture_pages_create(size_t count, void **pages) {
  char *room = mmap(NULL, count + HUGE_PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return -errno;
  size_t before = -(uintptr_t)room & (HUGE_PAGE - 1);
  if (before > 0) munmap(room, before);
  if (before < HUGE_PAGE) munmap(room + before + count, HUGE_PAGE - before);
  *pages = room + before;
  madvise(*pages, count, MADV_HUGEPAGE);
  return 0;
}

void fixture_pages_free(void *pages, size_t count) {
  munmap(pages, count);
}

int fixture_pipe_create(int ends[2]) {
  return result(pipe2(ends, O_CLOEXEC | O_NONBLOCK));
}

int fixture_pipe_set_room(int end, int count) {
  return result(fcntl(end, F_SETPIPE_SZ, count));
}

ptrdiff_t fixture_pipe_put_pages(int end, const void *bytes, size_t count) {
  struct iovec piece = {.iov_base = (void *)bytes, .iov_len = count};
  ssize_t taken = vmsplice(end, &piece, 1, SPLICE_F_NONBLOCK);
  return taken < 0 ? -errno : taken;
}

ptrdiff_t fixture_pipe_move(int end, int descriptor, size_t count, int more) {
  ssize_t moved = splice(end, NULL, descriptor, NULL, count,
                         SPLICE_F_NONBLOCK | SPLICE_F_MOVE | (more ? SPLICE_F_MORE : 0));
  return moved < 0 ? -errno : moved;
}

int fixture_sink_open(void) {
  return result(open("/dev/null", O_WRONLY | O_CLOEXEC));
}

// Process and threads

int fixture_descriptors_raise_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  }
  return limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
}

int fixture_descriptors_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
  return limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
}

int fixture_descriptors_reserve(int count) {
  int own = epoll_create1(EPOLL_CLOEXEC);
  if (own < 0) return -errno;
  int last = fcntl(own, F_DUPFD_CLOEXEC, count - 1);
  int error = last < 0 ? -errno : 0;
  if (last >= 0) close(last);
  close(own);
  return error;
}

int fixture_thread_set_name(const char *name) {
  return -pthread_setname_np(pthread_self(), name);
}

const char *fixture_error_name(int error) {
  return strerrorname_np(error);
}

const char *fixture_error_meaning(int error) {
  return strerrordesc_np(error);
}

static _Thread_local void *thread_loops;

void *fixture_thread_loops(void) {
  return thread_loops;
}

void fixture_thread_set_loops(void *loops) {
  thread_loops = loops;
}
