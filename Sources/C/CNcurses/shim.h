#ifndef NATTER_CNCURSES_SHIM_H
#define NATTER_CNCURSES_SHIM_H
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#define NCURSES_WIDECHAR 1
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include <ncursesw/curses.h>
#include <ncursesw/term.h>

// Swift imports neither macros nor variadic functions, and ncurses' variables belong to the current
// screen, so functions read them.

// Feature macros that are fixed before this header is read hide these declarations.
extern char **__environ;
extern int wcwidth(wchar_t character);
static inline int natter_width(wchar_t character) { return wcwidth(character); }

extern int memfd_create(const char *name, unsigned flags);
// Returns a file in memory, closed in started programs; -1 on failure.
static inline int natter_memory_file(void) { return memfd_create("natter frame", 1 /* MFD_CLOEXEC */); }

// Returns whether the size of files is limited (ulimit -f); the limit also applies to files in
// memory.
static inline int natter_files_are_limited(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

static inline WINDOW *natter_stdscr(void) { return stdscr; }
static inline TERMINAL *natter_current_terminal(void) { return cur_term; }
static inline int natter_rows(WINDOW *w) { return getmaxy(w); }
static inline int natter_columns(WINDOW *w) { return getmaxx(w); }
static inline int natter_colors(void) { return COLORS; }
static inline int natter_color_pairs(void) { return COLOR_PAIRS; }

// Returns a string capability of terminfo; null if the terminal does not have it.
static inline const char *natter_capability(const char *name) {
  char *value = tigetstr((char *)name);
  return value == (char *)-1 ? NULL : value;
}

// The names of terminfo's standard capabilities by index, and their values for the terminal.
static inline int natter_flag_count(void) { return BOOLCOUNT; }
static inline int natter_number_count(void) { return NUMCOUNT; }
static inline int natter_string_count(void) { return STRCOUNT; }
static inline const char *natter_flag_name(int index) { return boolnames[index]; }
static inline const char *natter_number_name(int index) { return numnames[index]; }
static inline const char *natter_string_name(int index) { return strnames[index]; }
static inline bool natter_flag(const char *name) { return tigetflag((char *)name) > 0; }
static inline int natter_number(const char *name) { return tigetnum((char *)name); }

enum {
  NATTER_BOLD = 1, NATTER_DIM = 2, NATTER_ITALIC = 4, NATTER_UNDERLINE = 8, NATTER_REVERSE = 16
};

// Draws one character cell: a spacing character and its combining characters, terminated by 0. The
// pair goes through the opts pointer: attr_t would truncate it to 8 bits.
static inline int natter_put(WINDOW *w, int row, int column, const wchar_t *text, int bits, int pair) {
  attr_t attributes = WA_NORMAL;
  cchar_t cell;
  if (bits & NATTER_BOLD) attributes |= WA_BOLD;
  if (bits & NATTER_DIM) attributes |= WA_DIM;
  if (bits & NATTER_ITALIC) attributes |= WA_ITALIC;
  if (bits & NATTER_UNDERLINE) attributes |= WA_UNDERLINE;
  if (bits & NATTER_REVERSE) attributes |= WA_REVERSE;
  if (setcchar(&cell, text, attributes, 0, &pair) == ERR) return ERR;
  if (wmove(w, row, column) == ERR) return ERR;
  // In the last cell of the screen wadd_wch returns ERR although it draws the cell.
  wadd_wch(w, &cell);
  return OK;
}

static inline int natter_window_size(int descriptor, int *height, int *width) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return -1;
  *height = size.ws_row;
  *width = size.ws_col;
  return 0;
}

// ncurses installs handlers for signals with a default action; the program handles them itself.
#define NATTER_NCURSES_SIGNALS 4
static const int natter_ncurses_signals[NATTER_NCURSES_SIGNALS] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
// Returns a copy of the environment with another value of TERMINFO; null if there is no memory.
static inline char **natter_environment_with(const char *terminfo, char **environment) {
  size_t count = 0, kept = 0, length = strlen(terminfo);
  while (environment && environment[count]) count++;
  char **own = malloc((count + 2) * sizeof *own);
  char *entry = malloc(length + sizeof "TERMINFO=");
  if (!own || !entry) {
    free(own);
    free(entry);
    return NULL;
  }
  memcpy(entry, "TERMINFO=", 9);
  memcpy(entry + 9, terminfo, length + 1);
  for (size_t i = 0; i < count; i++)
    if (strncmp(environment[i], "TERMINFO=", 9) != 0) own[kept++] = environment[i];
  own[kept++] = entry;
  own[kept] = NULL;
  return own;
}

// Creates a screen. `terminfo` is the value of TERMINFO during the call; null leaves it unchanged.
static inline SCREEN *natter_new_screen(const char *term, const char *terminfo, FILE *output, FILE *input) {
  struct sigaction before[NATTER_NCURSES_SIGNALS];
  for (int i = 0; i < NATTER_NCURSES_SIGNALS; i++) sigaction(natter_ncurses_signals[i], NULL, &before[i]);
  SCREEN *screen = NULL;
  char **environment = __environ;
  char **own = terminfo ? natter_environment_with(terminfo, environment) : NULL;
  if (own) {
    // Another thread may be reading the environment, so it is replaced as a whole and the copy is
    // never freed.
    __environ = own;
    screen = newterm(term, output, input);
    __environ = environment;
  }
  if (!screen) screen = newterm(term, output, input);
  // When it resumes the screen, ncurses sends the sequence that resets the palette (6.4,
  // _nc_screen_resume). Natter never changes the palette, but the user may have. An empty sequence
  // sends nothing; the string is the screen's own copy.
  char *palette = screen ? tigetstr("oc") : NULL;
  if (palette && palette != (char *)-1) *palette = 0;
  for (int i = 0; i < NATTER_NCURSES_SIGNALS; i++) sigaction(natter_ncurses_signals[i], &before[i], NULL);
  return screen;
}

// Returns the number of colours in the terminal's terminfo entry: -1 for none, -2 without an entry,
// -3 if the entry is for a printer or a generic terminal.
static inline int natter_terminfo_colors(const char *term) {
  int error = 0;
  TERMINAL *before = cur_term;
  int result = setupterm(term, 1, &error);
  int colors = result != OK ? (error > 0 ? -3 : -2) : tigetflag("RGB") > 0 ? 0x1000000 : tigetnum("colors");
  TERMINAL *own = cur_term;
  set_curterm(before);
  if (own && own != before) del_curterm(own);
  return result == OK && colors < 0 ? -1 : colors;
}

// The data for restoring the terminal after a crash. All of it is prepared, because a signal
// handler may neither allocate nor lock. Only TerminalRestoration.swift uses it: a second file
// would get a separate copy.
#define NATTER_CRASH_SIGNALS 6
static const int natter_crash_signals[NATTER_CRASH_SIGNALS] = {SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE};
struct natter_restoration {
  volatile sig_atomic_t armed;
  int descriptor;
  struct termios modes;
  size_t count;
  char bytes[512];
  struct sigaction before[NATTER_CRASH_SIGNALS];
  char stack[65536];
};
// Inside a function, because Swift does not emit variables of a header.
static inline struct natter_restoration *natter_restoration_state(void) {
  static struct natter_restoration state;
  return &state;
}

static inline void natter_restore_terminal(void) {
  if (!natter_restoration_state()->armed) return;
  natter_restoration_state()->armed = 0;
  size_t done = 0;
  while (done < natter_restoration_state()->count) {
    ssize_t n = write(natter_restoration_state()->descriptor, natter_restoration_state()->bytes + done, natter_restoration_state()->count - done);
    if (n <= 0) break;
    done += (size_t)n;
  }
  tcsetattr(natter_restoration_state()->descriptor, TCSANOW, &natter_restoration_state()->modes);
}

static inline void natter_crashed(int signal) {
  int error = errno;
  natter_restore_terminal();
  for (int i = 0; i < NATTER_CRASH_SIGNALS; i++)
    if (natter_crash_signals[i] == signal) sigaction(signal, &natter_restoration_state()->before[i], NULL);
  errno = error;
  // The signal is blocked until this function returns; then the previous handler or the kernel
  // handles it.
  raise(signal);
}

// Saves the current modes of `descriptor`. Returns 0, or -1 with errno set if it is not a terminal.
static inline int natter_remember_terminal(int descriptor) {
  natter_restoration_state()->armed = 0;
  natter_restoration_state()->descriptor = descriptor;
  return tcgetattr(descriptor, &natter_restoration_state()->modes);
}

// Makes a crash write `bytes` (512 at most) and restore the saved modes.
static inline void natter_arm_restoration(const char *bytes, size_t count) {
  natter_restoration_state()->armed = 0;
  if (count > sizeof natter_restoration_state()->bytes) count = sizeof natter_restoration_state()->bytes;
  memcpy(natter_restoration_state()->bytes, bytes, count);
  natter_restoration_state()->count = count;
  natter_restoration_state()->armed = 1;
}

static inline void natter_disarm_restoration(void) { natter_restoration_state()->armed = 0; }

static inline void natter_catch_crashes(void) {
  // After a stack overflow the normal stack has no room for the handler.
  stack_t stack = {.ss_sp = natter_restoration_state()->stack, .ss_size = sizeof natter_restoration_state()->stack, .ss_flags = 0};
  sigaltstack(&stack, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = natter_crashed;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (int i = 0; i < NATTER_CRASH_SIGNALS; i++)
    sigaction(natter_crash_signals[i], &action, &natter_restoration_state()->before[i]);
}

// Input without echo. Any signal that ends or stops the program meanwhile, including a crash, first
// restores the echo. Only HiddenInput.swift uses this.
#define NATTER_HIDING_SIGNALS 11
static const int natter_hiding_signals[NATTER_HIDING_SIGNALS] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGTSTP, SIGSEGV,
                                                                 SIGILL,  SIGTRAP, SIGABRT, SIGBUS,  SIGFPE};
// The index of the first signal that is a crash.
#define NATTER_HIDING_CRASHES 5
struct natter_hiding {
  int descriptor;
  // Whether the handlers are installed.
  int hides;
  struct termios shown, hidden;
  struct sigaction before[NATTER_HIDING_SIGNALS];
};
static inline struct natter_hiding *natter_hiding_state(void) {
  static struct natter_hiding state;
  return &state;
}

static inline void natter_hiding_interrupted(int signal) {
  int error = errno;
  struct natter_hiding *state = natter_hiding_state();
  tcsetattr(state->descriptor, TCSANOW, &state->shown);
  struct sigaction own;
  int is_crash = 0;
  for (int i = 0; i < NATTER_HIDING_SIGNALS; i++)
    if (natter_hiding_signals[i] == signal) {
      sigaction(signal, &state->before[i], &own);
      is_crash = i >= NATTER_HIDING_CRASHES;
    }
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, signal);
  raise(signal);
  // A crash takes effect when this handler returns, at the faulting instruction, which the crash
  // report then names.
  if (is_crash) return;
  // The signal takes effect here: the program ends, or stops until it is continued.
  pthread_sigmask(SIG_UNBLOCK, &one, &before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(signal, &own, NULL);
  tcsetattr(state->descriptor, TCSANOW, &state->hidden);
  errno = error;
}

// Turns the echo off. Returns 0, or -1 with errno set if `descriptor` is not a terminal.
static inline int natter_hide_input(int descriptor) {
  struct natter_hiding *state = natter_hiding_state();
  state->descriptor = descriptor;
  state->hides = 0;
  if (tcgetattr(descriptor, &state->shown) != 0) return -1;
  state->hidden = state->shown;
  state->hidden.c_lflag &= ~(tcflag_t)ECHO;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = natter_hiding_interrupted;
  // After a stack overflow the normal stack has no room for the handler.
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  for (int i = 0; i < NATTER_HIDING_SIGNALS; i++) {
    sigaction(natter_hiding_signals[i], NULL, &state->before[i]);
    // Ignored signals stay ignored.
    if (state->before[i].sa_handler != SIG_IGN) sigaction(natter_hiding_signals[i], &action, NULL);
  }
  state->hides = 1;
  return tcsetattr(descriptor, TCSAFLUSH, &state->hidden);
}

// Also turns line mode off, for replies of the terminal, which have no line end.
static inline int natter_silence_input(int descriptor) {
  if (natter_hide_input(descriptor) != 0) return -1;
  struct natter_hiding *state = natter_hiding_state();
  state->hidden.c_lflag &= ~(tcflag_t)ICANON;
  state->hidden.c_cc[VMIN] = 1;
  state->hidden.c_cc[VTIME] = 0;
  return tcsetattr(descriptor, TCSANOW, &state->hidden);
}

static inline void natter_show_input(void) {
  struct natter_hiding *state = natter_hiding_state();
  // Without a previous call of natter_hide_input the old handlers are unknown.
  if (!state->hides) return;
  state->hides = 0;
  tcsetattr(state->descriptor, TCSAFLUSH, &state->shown);
  for (int i = 0; i < NATTER_HIDING_SIGNALS; i++) sigaction(natter_hiding_signals[i], &state->before[i], NULL);
}

#endif
