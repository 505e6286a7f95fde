// Asks a server on loopback and says when the kernel received what it answered.
//
//   timing delay  PORT PATH CONNECTIONS SECONDS DELAY_US    each asks again when it is answered
//   timing pieces PORT PATH CONNECTIONS PIECES INTERVAL_US  each answer comes a byte at a time
//   timing rate   PORT PATH CONNECTIONS SIZE RATE           an answer has SIZE bytes, RATE a second
//
// Prints one JSON object. Requests are stamped before they are given to the kernel, answers by the
// kernel when they come in (SO_TIMESTAMPNS), so what this program takes to read them counts for
// nothing, and an answer that seems early was early. Connections begin evenly spread over the
// delay or the interval.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  int fd;
  int64_t started_ns;   // before its first request was sent
  int64_t asked_ns;     // before the request was sent
  int64_t begun_ns;     // when the first content came
  int64_t came_ns;      // when the last content came
  long head;            // bytes of "\r\n\r\n" seen; 4 when the head is whole
  long length, content; // promised, and come so far
  long answers;
  double sum_n, sum_t, sum_nt, sum_nn;  // for the line through the arrivals
} Connection;

static char request[1024];
static size_t request_size;
static int64_t *samples;
static size_t sample_count, sample_capacity;
static long merged;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void sample(int64_t value) {
  if (sample_count == sample_capacity) {
    sample_capacity = sample_capacity ? 2 * sample_capacity : 1 << 16;
    samples = realloc(samples, sample_capacity * sizeof *samples);
    if (!samples) fail("realloc");
  }
  samples[sample_count++] = value;
}

static int ascending(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return a < b ? -1 : a > b;
}

static double quantile_us(double part) {
  size_t index = (size_t)(part * (double)sample_count);
  return (double)samples[index < sample_count ? index : sample_count - 1] / 1000;
}

static void print_samples(const char *name) {
  if (!sample_count) {
    fprintf(stderr, "nothing came\n");
    exit(1);
  }
  qsort(samples, sample_count, sizeof *samples, ascending);
  printf("\"%s\": {\"count\": %zu, \"least_us\": %.1f, \"p50_us\": %.1f, \"p90_us\": %.1f, "
         "\"p99_us\": %.1f, \"p999_us\": %.1f, \"most_us\": %.1f}",
         name, sample_count, quantile_us(0), quantile_us(0.5), quantile_us(0.9),
         quantile_us(0.99), quantile_us(0.999), quantile_us(1));
}

static void ask(Connection *connection) {
  connection->head = connection->length = connection->content = 0;
  connection->asked_ns = now_ns();
  if (!connection->started_ns) connection->started_ns = connection->asked_ns;
  if (send(connection->fd, request, request_size, MSG_NOSIGNAL) != (ssize_t)request_size)
    fail("send");
}

static void open_connection(Connection *connection, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int one = 1;
  connection->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connection->fd < 0) fail("socket");
  if (connect(connection->fd, (struct sockaddr *)&address, sizeof address)) fail("connect");
  if (setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one)
      || setsockopt(connection->fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one))
    fail("setsockopt");
}

// Bytes of content among what was read; the kernel's stamp is that of the last of them.
static long received(Connection *connection, int64_t *stamp_ns) {
  static char bytes[1 << 18];
  char control[256];
  struct iovec vector = {bytes, sizeof bytes};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1,
                           .msg_control = control, .msg_controllen = sizeof control};
  ssize_t count = recvmsg(connection->fd, &message, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return -1;
  if (count <= 0) {
    fprintf(stderr, "the server ended a connection\n");
    exit(1);
  }
  *stamp_ns = 0;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec time;
    memcpy(&time, CMSG_DATA(part), sizeof time);
    *stamp_ns = time.tv_sec * 1000000000LL + time.tv_nsec;
  }
  if (!*stamp_ns) {
    fprintf(stderr, "the kernel gives no stamps\n");
    exit(1);
  }
  if (connection->head == 4) return connection->content += count, count;
  if (connection->head == 0 && memcmp(bytes, "HTTP/1.1 200 ", count < 13 ? count : 13)) {
    fprintf(stderr, "not the answer: %.*s\n", (int)(count < 200 ? count : 200), bytes);
    exit(1);
  }
  char *end = memmem(bytes, count, "\r\n\r\n", 4);
  char *length = memmem(bytes, count, "\r\nContent-Length: ", 18);
  if (!end || !length) {
    fprintf(stderr, "a head in pieces, or without a length\n");
    exit(1);
  }
  connection->head = 4;
  connection->length = atol(length + 18);
  return connection->content = count - (end + 4 - bytes);
}

typedef void Came(Connection *connection, long content, int64_t stamp_ns);

static int64_t interval_ns;
static double rate;
static int64_t behind_most_ns, ahead_most_ns;
static int asks_again;

static void answer_came(Connection *connection, long content, int64_t stamp_ns) {
  (void)content;
  if (connection->content < connection->length) return;
  sample(stamp_ns - connection->asked_ns - interval_ns);
  connection->answers++;
  connection->came_ns = stamp_ns;
  if (asks_again) ask(connection);
}

static void piece_came(Connection *connection, long content, int64_t stamp_ns) {
  if (content == 0) return;
  if (content > 1) merged++;
  if (connection->came_ns && content == 1) {
    int64_t gap_ns = stamp_ns - connection->came_ns - interval_ns;
    sample(gap_ns < 0 ? -gap_ns : gap_ns);
  }
  if (!connection->came_ns) connection->begun_ns = stamp_ns;
  connection->came_ns = stamp_ns;
  double n = (double)connection->content, t = (double)(stamp_ns - connection->begun_ns);
  connection->sum_n += n, connection->sum_t += t;
  connection->sum_nt += n * t, connection->sum_nn += n * n;
  connection->answers++;
}

// The line begins when the head comes: so much may have come, and should have, at each instant.
static void rated_came(Connection *connection, long content, int64_t stamp_ns) {
  if (!connection->begun_ns) connection->begun_ns = stamp_ns;
  double before = (double)(connection->content - content) / rate * 1e9;
  double after = (double)connection->content / rate * 1e9;
  int64_t elapsed_ns = stamp_ns - connection->begun_ns;
  int64_t behind_ns = elapsed_ns - (int64_t)before, ahead_ns = (int64_t)after - elapsed_ns;
  if (content && behind_ns > behind_most_ns) behind_most_ns = behind_ns;
  if (content && ahead_ns > ahead_most_ns) ahead_most_ns = ahead_ns;
  connection->came_ns = stamp_ns;
  if (connection->content == connection->length) {
    double own = (double)connection->length / ((double)elapsed_ns / 1e9);
    sample((int64_t)(1e9 * (own / rate - 1)));
  }
}

// Tells what comes until a time.
static void serve(int poller, int64_t end_ns, Came *came) {
  for (;;) {
    int64_t left_ns = end_ns - now_ns();
    if (left_ns <= 0) return;
    struct epoll_event events[64];
    int count = epoll_wait(poller, events, 64, (int)(left_ns / 1000000) < 1 ? 0 : 1);
    for (int index = 0; index < count; index++) {
      Connection *connection = events[index].data.ptr;
      int64_t stamp_ns;
      long content = received(connection, &stamp_ns);
      if (content >= 0) came(connection, content, stamp_ns);
    }
  }
}

static double drift(const Connection *connection) {
  double n = (double)connection->answers;
  double slope = (n * connection->sum_nt - connection->sum_n * connection->sum_t)
                 / (n * connection->sum_nn - connection->sum_n * connection->sum_n);
  return slope / (double)interval_ns - 1;
}

int main(int count, char **words) {
  if (count != 7) {
    fprintf(stderr, "usage: timing delay|pieces|rate PORT PATH CONNECTIONS X Y\n");
    return 2;
  }
  const char *mode = words[1];
  int port = atoi(words[2]), connection_count = atoi(words[4]);
  double first = atof(words[5]), second = atof(words[6]);
  request_size = (size_t)snprintf(request, sizeof request,
                                  "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", words[3]);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);

  // The kernel begins to stamp a moment after it is first asked to.
  int one = 1, first_asker = socket(AF_INET, SOCK_STREAM, 0);
  if (setsockopt(first_asker, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one)) fail("setsockopt");
  usleep(200000);

  int poller = epoll_create1(0);
  Connection *connections = calloc((size_t)connection_count, sizeof *connections);
  for (int index = 0; index < connection_count; index++) {
    open_connection(&connections[index], port);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[index]};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, connections[index].fd, &event)) fail("epoll_ctl");
  }

  int is_delay = !strcmp(mode, "delay"), is_rate = !strcmp(mode, "rate");
  Came *came = is_delay ? answer_came : is_rate ? rated_came : piece_came;
  interval_ns = is_rate ? 100000000 : (int64_t)(second * 1000);
  rate = second;
  asks_again = is_delay;
  int64_t begin_ns = now_ns();
  for (int index = 0; index < connection_count; index++) {
    serve(poller, begin_ns + interval_ns * index / connection_count, came);
    ask(&connections[index]);
  }
  int64_t asked_ns = now_ns();
  double seconds = is_delay ? first : is_rate ? first / rate + 0.5 : first * second / 1e6 + 0.5;
  serve(poller, asked_ns + (int64_t)(seconds * 1e9), came);

  printf("{");
  if (is_delay) {
    double took_ns = 0, answers = 0;
    for (int index = 0; index < connection_count; index++) {
      answers += (double)connections[index].answers;
      took_ns += (double)(connections[index].came_ns - connections[index].started_ns);
    }
    print_samples("over");
    printf(", \"ideal\": %.4f", answers * (double)interval_ns / took_ns);
  } else if (is_rate) {
    double worst = 0;
    for (size_t index = 0; index < sample_count; index++)
      if (labs(samples[index]) > worst) worst = (double)labs(samples[index]);
    printf("\"whole\": %zu, \"off\": %.6f, \"behind_ms\": %.2f, \"ahead_ms\": %.2f", sample_count,
           worst / 1e9, (double)behind_most_ns / 1e6, (double)ahead_most_ns / 1e6);
  } else {
    double worst = 0;
    long pieces = 0;
    for (int index = 0; index < connection_count; index++) {
      double own = drift(&connections[index]);
      if (own < 0) own = -own;
      if (own > worst) worst = own;
      pieces += connections[index].answers;
    }
    print_samples("gap_error");
    printf(", \"pieces\": %ld, \"merged\": %ld, \"drift_most\": %.8f", pieces, merged, worst);
  }
  printf("}\n");
  return 0;
}
