#include "CWorkers.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* What the runtime offers for this (swift/Runtime/Concurrency.h of the toolchain's sources). */
#define SWIFTCALL __attribute__((swiftcall))
typedef struct Job Job;
typedef struct { void *identity; void *implementation; } Executor;
typedef SWIFTCALL void (*Enqueue)(Job *);
typedef SWIFTCALL void (*EnqueueAfter)(unsigned long long nanoseconds, Job *);
typedef SWIFTCALL void (*EnqueueAt)(
  long long seconds, long long nanoseconds, long long tolerance, long long toleranceNanoseconds, int clock, Job *);
extern SWIFTCALL void (*swift_task_enqueueGlobal_hook)(Job *, Enqueue original);
extern SWIFTCALL void (*swift_task_enqueueGlobalWithDelay_hook)(
  unsigned long long nanoseconds, Job *, EnqueueAfter original);
extern SWIFTCALL void (*swift_task_enqueueGlobalWithDeadline_hook)(
  long long seconds, long long nanoseconds, long long tolerance, long long toleranceNanoseconds, int clock, Job *,
  EnqueueAt original);
extern SWIFTCALL void swift_job_run(Job *, Executor);

/* Of libdispatch, whose headers the compiler for C does not find by itself. */
typedef struct dispatch_queue_s *dispatch_queue_t;
extern dispatch_queue_t dispatch_queue_create(const char *label, void *attributes);
extern uint64_t dispatch_time(uint64_t base, int64_t nanoseconds);
extern void dispatch_after_f(uint64_t when, dispatch_queue_t, void *context, void (*work)(void *));

/* A job waits in the list through the two words that its header keeps for whoever schedules it. */
struct Job {
  void *metadata;
  void *references;
  Job *next;
  void *reserved;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrival = PTHREAD_COND_INITIALIZER;
static Job *first, *last;
static long idle, threads, limit;
static dispatch_queue_t delays;

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!first) {
      idle++;
      pthread_cond_wait(&arrival, &lock);
      idle--;
    }
    Job *job = first;
    first = job->next;
    if (!first) last = NULL;
    pthread_mutex_unlock(&lock);
    swift_job_run(job, (Executor){NULL, NULL});
    pthread_mutex_lock(&lock);
  }
  return NULL;
}

static void begin(void *job) {
  Job *new = job;
  pthread_mutex_lock(&lock);
  new->next = NULL;
  if (last) last->next = new; else first = new;
  last = new;
  bool grows = idle == 0 && threads < limit;
  if (grows) threads++;
  pthread_cond_signal(&arrival);
  pthread_mutex_unlock(&lock);
  if (!grows) return;
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attributes, work, NULL) != 0) {
    pthread_mutex_lock(&lock);
    threads--;
    /* The jobs wait for the next one that begins; without any thread there is nothing to go on with. */
    bool none = threads == 0;
    pthread_mutex_unlock(&lock);
    if (none) __builtin_trap();
  }
  pthread_attr_destroy(&attributes);
}

static SWIFTCALL void enqueue(Job *job, Enqueue original) { begin(job); }

static SWIFTCALL void enqueueAfter(unsigned long long nanoseconds, Job *job, EnqueueAfter original) {
  if (nanoseconds > INT64_MAX) nanoseconds = INT64_MAX;
  dispatch_after_f(dispatch_time(0, (int64_t)nanoseconds), delays, job, begin);
}

static SWIFTCALL void enqueueAt(
    long long seconds, long long nanoseconds, long long tolerance, long long toleranceNanoseconds, int clock, Job *job,
    EnqueueAt original) {
  /* 1 is the clock that goes on while the machine sleeps, 2 the one that does not. */
  struct timespec now;
  clock_gettime(clock == 2 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME, &now);
  long long rest = (seconds - now.tv_sec) * 1000000000 + (nanoseconds - now.tv_nsec);
  enqueueAfter(rest > 0 ? (unsigned long long)rest : 0, job, NULL);
}

void natter_workers_share_heap(void) { mallopt(M_ARENA_MAX, 1); }

void natter_workers_adopt(void) {
  limit = sysconf(_SC_NPROCESSORS_ONLN);
  if (limit < 2) limit = 2;
  /* A serial queue has a thread of its own kind, which is not counted. */
  delays = dispatch_queue_create("natter.delays", NULL);
  swift_task_enqueueGlobal_hook = enqueue;
  swift_task_enqueueGlobalWithDelay_hook = enqueueAfter;
  swift_task_enqueueGlobalWithDeadline_hook = enqueueAt;
}
