import CHeap
import Glibc

natter_heap_share()
// A write to a reader that has gone is an error to be handled, not the end of the program.
signal(SIGPIPE, SIG_IGN)
// A file that may grow no further (ulimit -f) is a full disk, which is told, and not the end either.
signal(SIGXFSZ, SIG_IGN)
exit(await Program.run(ProgramArguments.words))
