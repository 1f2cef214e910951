#ifndef NATTER_CRASH_H
#define NATTER_CRASH_H

/* Installs handlers that write a report when the program crashes (SIGSEGV, SIGILL, SIGTRAP,
   SIGABRT, SIGBUS, SIGFPE). The report is a file with mode 0600, named `prefix`, the time in
   seconds since 1970 and ".txt". It contains `head`, the build id of the program if it has one,
   the signal and the stack as code addresses: numbers that reveal nothing about the user's data. A
   report that cannot be written whole is removed. Standard error gets `crash` and, on its own
   line, `found` and the path of the report. Then the program ends as it would without the handlers.
   Handlers installed later may handle these signals first and pass them on, as the restoration of
   the terminal does: the lines then appear after it.
   Called at most once. `head` is shorter than 256 bytes, `crash` and `found` than 512; otherwise
   the function does nothing. */
void natter_report_crashes(const char *prefix, const char *head, const char *crash, const char *found);

/* Records `signal` instead of letting it take effect, until another handler is installed. A signal
   mask does not suffice: Dispatch makes the main thread wait with an empty mask. */
void natter_hold_signal(int signal);
/* Returns whether `signal` has arrived since it is held, or since the last call. */
int natter_take_held_signal(int signal);
/* Restores the default action of `signal` if it is still held, and raises it if it has arrived
   meanwhile. */
void natter_release_signal(int signal);
#endif
