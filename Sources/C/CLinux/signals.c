/* Signals that arrive before the program handles them. */
#define _GNU_SOURCE
#include "crash.h"
#include <signal.h>

static volatile sig_atomic_t held[NSIG];

static void note(int signal) { held[signal] = 1; }

void natter_hold_signal(int signal) {
  struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
  sigaction(signal, &action, NULL);
}

int natter_take_held_signal(int signal) {
  int has_come = held[signal];
  held[signal] = 0;
  return has_come;
}

void natter_release_signal(int signal) {
  struct sigaction action;
  if (sigaction(signal, NULL, &action) || action.sa_handler != note) return;
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, NULL);
  if (natter_take_held_signal(signal)) raise(signal);
}
