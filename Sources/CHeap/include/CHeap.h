#ifndef NATTER_CHEAP_H
#define NATTER_CHEAP_H

/* Has all threads use one heap. Each thread would have its own, and keep there what it
   has freed, though they seldom run at once. To be called before the first thread begins. */
void natter_heap_share(void);

/* Gives back what the process does not use at the moment: freed memory, and pages of program text and of libraries that can be
   read again from their files. Much of it serves start-up and signing in alone, and would stay for as long as the program
   runs. Takes some milliseconds; from any thread. */
void natter_heap_give_back(void);
#endif
