/* Crash reports. A signal handler may neither allocate nor lock, and the process may be in any
   state: everything the handler needs is prepared, and it calls only functions that
   signal-safety(7) allows. */
#define _GNU_SOURCE
#include "crash.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { signal_count = 6, frame_limit = 64 };
static const int signals[signal_count] = {SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE};
static struct sigaction before[signal_count];
static char path[1100];
static size_t prefix_length;
static char head[256];
static char build[80];
static char crash_words[512];
static char report_words[512];
static char stack[65536];
static volatile sig_atomic_t reported;

/* The bounds of the program's own instructions, set by the linker. Addresses between them are
   reported as offsets, which addr2line(1) maps to lines wherever the kernel loaded the program. */
extern const char __executable_start, etext;

struct text {
  char bytes[4096];
  size_t length;
};

static void add(struct text *text, const char *words) {
  while (*words && text->length < sizeof text->bytes) text->bytes[text->length++] = *words++;
}

static void add_number(struct text *text, uint64_t value, unsigned base) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value);
  char word[2] = {0, 0};
  while (count) {
    word[0] = digits[--count];
    add(text, word);
  }
}

static void add_place(struct text *text, uintptr_t place) {
  uintptr_t start = (uintptr_t)&__executable_start;
  int is_own = place >= start && place < (uintptr_t)&etext;
  add(text, is_own ? "natter+0x" : "library 0x");
  add_number(text, is_own ? place - start : place, 16);
  add(text, "\n");
}

/* Reads two machine words at an address; returns 0 for unreadable memory. The kernel does the
   reading: for it a wrong address is an error, here it would be another crash. */
static int words_at(uintptr_t place, uintptr_t words[2]) {
  struct iovec here = {words, 2 * sizeof words[0]};
  struct iovec there = {(void *)place, here.iov_len};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)here.iov_len;
}

static void add_frames(struct text *text, const ucontext_t *context) {
#if defined(__x86_64__)
  uintptr_t place = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  uintptr_t frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
#elif defined(__aarch64__)
  uintptr_t place = (uintptr_t)context->uc_mcontext.pc;
  uintptr_t frame = (uintptr_t)context->uc_mcontext.regs[29];
#else
  uintptr_t place = 0, frame = 0;
#endif
  add_place(text, place);
  for (int count = 0; count < frame_limit; count++) {
    uintptr_t words[2];
    if (frame % sizeof frame || !words_at(frame, words) || !words[1]) return;
    add_place(text, words[1]);
    /* The stack grows down, so a caller's frame has a higher address. */
    if (words[0] <= frame) return;
    frame = words[0];
  }
}

/* Reports on standard error that the program crashed, and the path of the report if there is one. A
   shell prints only the name of the signal, and a script prints nothing. */
static void tell(int has_report) {
  struct text text = {.length = 0};
  add(&text, crash_words);
  add(&text, "\n");
  if (has_report) {
    add(&text, report_words);
    add(&text, path);
    add(&text, "\n");
  }
  size_t done = 0;
  while (done < text.length) {
    ssize_t count = write(STDERR_FILENO, text.bytes + done, text.length - done);
    if (count <= 0) break;
    done += (size_t)count;
  }
}

/* Writes the report; returns whether all of it was written. */
static int report(int number, const siginfo_t *information, const ucontext_t *context) {
  struct text text = {.length = 0};
  struct text name = {.length = 0};
  add_number(&name, (uint64_t)time(NULL), 10);
  add(&name, ".txt");
  memcpy(path + prefix_length, name.bytes, name.length);
  path[prefix_length + name.length] = 0;
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return 0;
  add(&text, head);
  if (build[0]) {
    add(&text, "\nbuild ");
    add(&text, build);
  }
  add(&text, "\nsignal ");
  add_number(&text, (uint64_t)number, 10);
  if (information->si_code > 0) {
    add(&text, ", address 0x");
    add_number(&text, (uint64_t)(uintptr_t)information->si_addr, 16);
  }
  add(&text, "\n");
  add_frames(&text, context);
  size_t done = 0;
  while (done < text.length) {
    ssize_t count = write(file, text.bytes + done, text.length - done);
    if (count <= 0) break;
    done += (size_t)count;
  }
  close(file);
  /* Half a report would look like a whole one. */
  if (done < text.length) unlink(path);
  return done == text.length;
}

static void crashed(int number, siginfo_t *information, void *context) {
  if (!reported) {
    reported = 1;
    tell(report(number, information, context));
  }
  for (int i = 0; i < signal_count; i++)
    if (signals[i] == number) sigaction(number, &before[i], NULL);
  /* The signal is blocked until this function returns; then the previous handler or the kernel
     handles it. */
  raise(number);
}

/* Finds the build id of the program, which is the first of the loaded files, among the notes that
   the linker wrote into it (elf(5), "Notes"). */
static int find_build(struct dl_phdr_info *file, size_t size, void *unused) {
  (void)size;
  (void)unused;
  for (int i = 0; i < file->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &file->dlpi_phdr[i];
    if (part->p_type != PT_NOTE) continue;
    size_t align = part->p_align == 8 ? 8 : 4;
    const unsigned char *bytes = (const unsigned char *)(file->dlpi_addr + part->p_vaddr);
    size_t at = 0;
    while (part->p_memsz - at >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      memcpy(&note, bytes + at, sizeof note);
      size_t name = at + sizeof note;
      size_t words = (name + note.n_namesz + align - 1) & ~(align - 1);
      size_t end = (words + note.n_descsz + align - 1) & ~(align - 1);
      if (words < name || words + note.n_descsz > part->p_memsz) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(bytes + name, "GNU", 4)) {
        if (note.n_descsz * 2 >= sizeof build) return 1;
        for (size_t byte = 0; byte < note.n_descsz; byte++) {
          build[2 * byte] = "0123456789abcdef"[bytes[words + byte] >> 4];
          build[2 * byte + 1] = "0123456789abcdef"[bytes[words + byte] & 15];
        }
        return 1;
      }
      if (end <= at || end > part->p_memsz) break;
      at = end;
    }
  }
  return 1;
}

static int fits(const char *words, size_t size) { return strlen(words) < size; }

void natter_report_crashes(const char *prefix, const char *words, const char *crash, const char *found) {
  /* The time and ".txt" take less than 32 bytes. */
  if (strlen(prefix) + 32 > sizeof path || !fits(words, sizeof head)) return;
  if (!fits(crash, sizeof crash_words) || !fits(found, sizeof report_words)) return;
  strcpy(crash_words, crash);
  strcpy(report_words, found);
  prefix_length = strlen(prefix);
  memcpy(path, prefix, prefix_length);
  strcpy(head, words);
  dl_iterate_phdr(find_build, NULL);
  /* After a stack overflow the normal stack has no room for the handler. */
  stack_t own = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = 0};
  sigaltstack(&own, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = crashed;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  sigfillset(&action.sa_mask);
  for (int i = 0; i < signal_count; i++) sigaction(signals[i], &action, &before[i]);
}
