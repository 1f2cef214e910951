#ifndef NATTER_CCRASH_H
#define NATTER_CCRASH_H

/* From now on a crash (SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE) leaves a report behind, a file that only its owner can
   read, named `prefix`, the time in seconds since 1970 and ".txt". It has `head` in it, the signal and where in the program it
   came: numbers that say nothing of what the program was about. On standard error it says `crash` and, in a line of its own,
   `found` and the report's path. Then the program ends as it would have without this.
   What takes these signals later, and hands them on, may do so, as what gives the terminal back does: the lines come after it.
   To be called once; `head` is shorter than 256 bytes, `crash` and `found` than 512. */
void natter_report_crashes(const char *prefix, const char *head, const char *crash, const char *found);

/* From now on `signal` is only noted, until something else handles it. A signal's mask would not do: Dispatch has the main thread
   wait with an empty one. */
void natter_hold_signal(int signal);
/* Whether `signal` has come since it is held, or since this was asked last. */
int natter_take_held_signal(int signal);
/* Gives `signal` its usual effect again, where it is still held; one that has come has it now. */
void natter_release_signal(int signal);
#endif
