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

/* Queries the system's name servers for the SRV records of an absolute name. Uses its own resolver
   state, so that any thread may call it. If `server` (four bytes, with `port` in host order) is not
   NULL, it replaces the system's name servers. Returns the length of the answer, or -1 with
   *problem set to HOST_NOT_FOUND, NO_DATA, TRY_AGAIN or NO_RECOVERY. */
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

/* The types of a stream socket and of one that does not block and is not inherited by child
   processes, and the flag that suppresses SIGPIPE. Swift 6.3 imports such names of <sys/socket.h>
   only through the C module whose header it read first: libcurl's, this one, or the C library's,
   depending on the order of the files. */
static const int natter_stream_socket = SOCK_STREAM;
static const int natter_private_stream_socket = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int natter_no_signal = MSG_NOSIGNAL;

/* Opens a non-blocking socket that reports changes of links and addresses (rtnetlink(7)). Returns
   it, or -1 with errno set. */
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

/* Opens a timer that never expires, and becomes readable when the wall clock jumps, also after a
   suspension. Returns it, or -1 with errno set. */
static inline int natter_open_clock_watch(void) {
  return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* Arms the timer, also after it became readable. Returns 0, or -1 with errno set. */
static inline int natter_arm_clock_watch(int descriptor) {
  struct itimerspec never;
  memset(&never, 0, sizeof never);
  never.it_value.tv_sec = (time_t)1 << 40;
  return timerfd_settime(
    descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}
#endif
