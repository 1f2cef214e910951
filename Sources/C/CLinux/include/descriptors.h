#ifndef NATTER_DESCRIPTORS_H
#define NATTER_DESCRIPTORS_H
#include <errno.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/epoll.h>

/* Closes all descriptors from `first` up in the program that is started. <spawn.h> of glibc 2.34
   declares it, as a GNU extension that Swift does not see. */
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/* Creates a pipe with flags such as O_CLOEXEC (pipe(2)). Swift does not see the declaration of
   <unistd.h>, because it is not in POSIX.1-2008. */
int pipe2(int ends[2], int flags);

/* Sets of watched descriptors (epoll(7)). A set is itself a descriptor, which is readable when one
   of its members is ready. A closed descriptor leaves its sets automatically.

   libdispatch watches such sets, never a socket or a terminal. On Linux, when a watched descriptor
   hangs up, it ends the source on two threads at once, and then occasionally crashes ("Source
   finalized twice"). For a descriptor that is watched for writing and then for reading too, it
   reports only the first. A set never hangs up, and is only read. */

/* The events to watch, and those that occurred. The values are libcurl's (CURL_CSELECT_IN, _OUT,
   _ERR). */
static const int natter_ready_in = 1;
static const int natter_ready_out = 2;
static const int natter_ready_err = 4;

struct natter_ready {
  int descriptor;
  int events;
};

/* Returns a new set, which child processes do not inherit, or -1 with errno set. */
static inline int natter_watch_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

/* Watches a descriptor for `events`; 0 removes it from the set. Returns 0, or -1 with errno set. */
static inline int natter_watch_set(int set, int descriptor, int events) {
  if (!events) return epoll_ctl(set, EPOLL_CTL_DEL, descriptor, NULL);
  struct epoll_event event = {0};
  if (events & natter_ready_in) event.events |= EPOLLIN;
  if (events & natter_ready_out) event.events |= EPOLLOUT;
  event.data.fd = descriptor;
  if (epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
  return errno == ENOENT ? epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) : -1;
}

/* Stores the ready descriptors, 32 at most, and waits up to `milliseconds` for the first. Returns
   their number, or -1 with errno set. */
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
