#ifndef NATTER_CRESOLV_SHIM_H
#define NATTER_CRESOLV_SHIM_H
#include <netinet/in.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

/* Asks the system's name servers for the SRV records of an absolute name, with a state of its own, so that any thread may.
   `server` (four bytes, with `port` in host order) replaces the name servers when it is not NULL.
   Returns the answer's length, or -1 with *problem one of HOST_NOT_FOUND, NO_DATA, TRY_AGAIN, NO_RECOVERY. */
static inline int natter_query_srv(
    const char *name, unsigned char *answer, int capacity, const unsigned char *server,
    unsigned short port, int *problem) {
  struct __res_state state;
  memset(&state, 0, sizeof state);
  *problem = NO_RECOVERY;
  if (res_ninit(&state) != 0) return -1;
  state.retrans = 2;
  state.retry = 2;
  if (server) {
    state.nscount = 1;
    memset(&state.nsaddr_list[0], 0, sizeof state.nsaddr_list[0]);
    state.nsaddr_list[0].sin_family = AF_INET;
    state.nsaddr_list[0].sin_port = htons(port);
    memcpy(&state.nsaddr_list[0].sin_addr, server, 4);
  }
  int length = res_nquery(&state, name, ns_c_in, ns_t_srv, answer, capacity);
  *problem = state.res_h_errno;
  res_nclose(&state);
  return length;
}

/* A stream socket, one that does not block and that child processes do not inherit, and how to send without SIGPIPE. Swift 6.3
   sees such names of <sys/socket.h> only by the import of the C module whose header was read first: libcurl's, this one, or the
   C library's, as the compiler has put the files. */
static const int natter_stream_socket = SOCK_STREAM;
static const int natter_private_stream_socket = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int natter_no_signal = MSG_NOSIGNAL;

/* A non-blocking socket that hears of links and addresses that come and go (rtnetlink(7)); -1 with errno set. */
static inline int natter_open_route_socket(void) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (descriptor < 0) return -1;
  struct sockaddr_nl address;
  memset(&address, 0, sizeof address);
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int code = errno;
  close(descriptor);
  errno = code;
  return -1;
}

/* A timer that never fires by itself, and that becomes readable when the wall clock jumps: also after a suspension. */
static inline int natter_open_clock_watch(void) {
  return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* Arms it (again). Returns 0, or -1 with errno set. */
static inline int natter_arm_clock_watch(int descriptor) {
  struct itimerspec never;
  memset(&never, 0, sizeof never);
  never.it_value.tv_sec = (time_t)1 << 40;
  return timerfd_settime(
    descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}
#endif
