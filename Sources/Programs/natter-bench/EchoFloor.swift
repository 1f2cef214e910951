import Foundation
import TestSupport

/// The least that a program with ncurses does for a key, a message and another size. Its messages
/// are lines from a pipe: it needs no server.
final class EchoFloor: Sendable {
  let terminal: PTYProcess
  private let lines: FileHandle
  private let said = Observed(0)

  init(in folder: TemporaryFolder) throws {
    let program = try CProgram.compile(Self.source, to: folder.url("floor"))
    let path = folder.path("lines")
    guard mkfifo(path, 0o600) == 0, let lines = FileHandle(forUpdatingAtPath: path) else {
      throw TimedProcess.Failure(description: "\(path): there is no pipe to be had")
    }
    self.lines = lines
    terminal = try PTYProcess(
      program, [path],
      environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": Programs.searchPath],
      rows: 40, columns: 120)
  }

  /// Writes lines one after another until `isOver`.
  /// - Returns: the last one.
  func talk(perSecond rate: Int, until isOver: Observed<Bool>) async throws -> String {
    let clock = ContinuousClock()
    var due = clock.now
    var text = ""
    while !isOver.value {
      said.update { $0 += 1 }
      text = "message \(said.value) of many that come while the user types"
      try lines.write(contentsOf: Data((text + "\n").utf8))
      // The rate is the load itself.
      due += .seconds(1) / rate
      try await Task.sleep(until: due, clock: clock)
    }
    return text
  }

  /// The program shows lines from the pipe above the input line, keys in it, and a full screen
  /// after each change of the size.
  private static let source = """
    #include <fcntl.h>
    #include <locale.h>
    #include <ncurses.h>
    #include <poll.h>
    #include <string.h>
    #include <unistd.h>

    static void paint(void) {
      erase();
      for (int row = 0; row < LINES - 1; row++)
        for (int column = 0; column < COLS; column++)
          mvaddch(row, column, 'a' + (row + column) % 26);
      setscrreg(0, LINES - 2);
      move(LINES - 1, 0);
      clearok(stdscr, TRUE);
      refresh();
    }

    static void show(char *text) {
      int column = getcurx(stdscr);
      for (char *line = strtok(text, "\\n"); line; line = strtok(NULL, "\\n")) {
        scrl(1);
        mvaddnstr(LINES - 2, 0, line, COLS - 1);
      }
      move(LINES - 1, column);
    }

    int main(int count, char **arguments) {
      setlocale(LC_ALL, "");
      initscr();
      raw();
      noecho();
      keypad(stdscr, TRUE);
      nodelay(stdscr, TRUE);
      scrollok(stdscr, TRUE);
      idlok(stdscr, TRUE);
      paint();
      struct pollfd ready[2] = {
        {.fd = 0, .events = POLLIN}, {.fd = open(arguments[1], O_RDONLY), .events = POLLIN}};
      for (;;) {
        // A change of the size interrupts it.
        if (poll(ready, 2, -1) < 0) ready[1].revents = 0;
        for (int key; (key = getch()) != ERR;) {
          if (key == KEY_RESIZE) {
            paint();
          } else if (key == ('U' & 31)) {
            move(LINES - 1, 0);
            clrtoeol();
          } else {
            addch(key);
          }
        }
        if (ready[1].revents & POLLIN) {
          char text[4096];
          ssize_t length = read(ready[1].fd, text, sizeof text - 1);
          text[length > 0 ? length : 0] = 0;
          show(text);
        }
        refresh();
      }
    }

    """
}
