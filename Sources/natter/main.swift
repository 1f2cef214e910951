import Foundation

// A write to a reader that has gone is an error to be handled, not the end of the program.
signal(SIGPIPE, SIG_IGN)
exit(await Program.run(ProgramArguments.words))
