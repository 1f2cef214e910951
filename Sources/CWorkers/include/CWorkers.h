#ifndef NATTER_CWORKERS_H
#define NATTER_CWORKERS_H

/* Has all threads use one heap. Each would have its own, and keep there what it has freed, though they seldom run at once.
   To be called before the first thread begins. */
void natter_workers_share_heap(void);

/* Has the tasks of Swift that belong to no actor with an executor of its own run on threads of this program's, as many as
   there are processors. The runtime's way is libdispatch's global queues, and once one of those has been used, libdispatch
   counts its threads each second for as long as the program runs, also when nothing happens.

   To be called before the first task begins, and once. */
void natter_workers_adopt(void);
#endif
