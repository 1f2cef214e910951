#ifndef NATTER_CEPOLL_SHIM_H
#define NATTER_CEPOLL_SHIM_H
#include <errno.h>
#include <stddef.h>
#include <sys/epoll.h>

/* Descriptors that are watched together (epoll(7)): the set is a descriptor itself, readable when one of them is ready. A
   descriptor that is closed has left it.

   libdispatch is given such sets, never a socket or a terminal: on Linux it ends a source whose descriptor has hung up on two
   threads at once, and then crashes now and then ("Source finalized twice"); and of a descriptor that waits to be written and
   then to be read as well it tells only the first. A set never hangs up, and is only read. */

/* What a descriptor is watched for, and is. The numbers are those of libcurl (CURL_CSELECT_IN, _OUT, _ERR). */
static const int natter_ready_in = 1;
static const int natter_ready_out = 2;
static const int natter_ready_err = 4;

struct natter_ready {
  int descriptor;
  int events;
};

/* Returns the set, which child processes do not inherit, or -1 with errno set. */
static inline int natter_watch_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

/* Watches a descriptor for these events; for none, no longer. Returns 0, or -1 with errno set. */
static inline int natter_watch_set(int set, int descriptor, int events) {
  if (!events) return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, NULL);
  struct epoll_event event = {0};
  if (events & natter_ready_in) event.events |= EPOLLIN;
  if (events & natter_ready_out) event.events |= EPOLLOUT;
  event.data.fd = descriptor;
  if (epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
  return errno == ENOENT ? epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) : -1;
}

/* Which are ready, 32 at most; waits that long for the first. Returns how many, or -1 with errno set. */
static inline int natter_watch_take(
    int set, struct natter_ready *ready, int capacity, int milliseconds) {
  struct epoll_event events[32];
  int count = epoll_wait(set, events, capacity < 32 ? capacity : 32, milliseconds);
  for (int index = 0; index < count; index++) {
    ready[index].descriptor = events[index].data.fd;
    ready[index].events = 0;
    if (events[index].events & (EPOLLIN | EPOLLHUP)) ready[index].events |= natter_ready_in;
    if (events[index].events & EPOLLOUT) ready[index].events |= natter_ready_out;
    if (events[index].events & EPOLLERR) ready[index].events |= natter_ready_err;
  }
  return count;
}
#endif
