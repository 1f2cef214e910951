import NatterCore

/// The limits of a script (interface.md, "Scripts", "Limits").
enum ScriptLimits {
  /// The time that it has for `hello`.
  static let greeting = Duration.seconds(10)
  /// The bytes that a line of standard error counts for at least.
  static let errorLine = 256
  /// The time that it has to end by itself, and then after SIGTERM.
  static let ending = (byItself: Duration.seconds(2), afterSignal: Duration.seconds(1))
  /// The time that a command has, and the time that one has which reports progress.
  static let command = (usual: Duration.seconds(10), withProgress: Duration.seconds(60))
  /// `decorate`: the most messages that are on a screen; the most messages of a request and bytes
  /// of their texts; the requests that wait; the time that the messages of a frame wait for the
  /// answer; and the time that it has in all.
  static let decoration = (
    shown: 500, messages: 60, bytes: 128 << 10, waiting: 8, forFrame: Duration.milliseconds(50),
    answer: Duration.seconds(5)
  )
  /// The time that it has to answer `ping`, and the silence after which it is asked.
  static let ping = (answer: Duration.seconds(5), silence: Duration.seconds(30))
  /// The requests in a row without an answer after which it is started again.
  static let timeouts = 3
  /// The time without work after which a lazy script sleeps.
  static let idle = Duration.seconds(600)
  /// The pause between two looks at its memory, processor time and files.
  static let look = Duration.seconds(10)
  /// The most resident memory of its processes, in bytes.
  static let memory = 512 << 20
  /// The most processes and threads of its group, together.
  static let tasks = 256
  /// The most files and folders in its storage, and the most bytes that they take on the disk.
  static let files = (count: 10_000, bytes: 256 << 20)
  /// The most processor time of its processes within `processorPeriod`.
  static let processor = Duration.seconds(30)
  static let processorPeriod = Duration.seconds(60)
  /// The most bytes of a text for the status line.
  static let toast = 1024
  /// The characters of a toast, and of an item of the status line, that are passed on.
  static let shown = (toast: 80, status: 20)
  /// The longest time, in seconds, that an item of the status line is shown for.
  static let statusTime = 86_400
  /// The panes that one run can open, and the lines, keys and parts of a line of each.
  static let panes = 16
  static let paneLines = 2000
  static let paneKeys = 16
  static let paneSpans = 64
  /// The most bytes of all lines, of a line that are shown, of a title, and of a key's label.
  static let paneBytes = 256 << 10
  static let paneText = 4096
  static let paneTitle = 256
  /// The time that a key of a pane, and an address, has.
  static let choice = Duration.seconds(5)
  /// The lines for the bridge that wait. More requests cannot be open.
  static let forwarded = 2 * BridgeLimits.open
}

/// The rates that limit one run of a script.
struct ScriptRates: Sendable {
  /// All requests.
  var requests = BridgeLimits.requests
  /// Lines for the log of the program.
  var logging = BridgeLimits.logging
  /// Texts for the status line.
  var toasts = RateLimit(0.2, burst: 1)
  /// Changes of the screen.
  var screen = RateLimit(10, burst: 10)
  /// Bytes of its lines.
  var bytes = ByteRate()
}

/// Limits the bytes that are read from a script: reading them costs the program time, also where
/// they are refused.
struct ByteRate: Sendable {
  /// Per second.
  static let rate = Double(1 << 20)
  /// At once, after a pause.
  static let burst = Double(8 << 20)

  private var free = Self.burst
  private var last: Duration?

  /// Counts bytes that were read.
  /// - Parameter now: of a clock that never goes back.
  /// - Returns: the pause before more are read; `nil`: none.
  mutating func take(_ bytes: Int, at now: Duration) -> Duration? {
    free = min(Self.burst, free + (now - (last ?? now)) / .seconds(1) * Self.rate)
    last = now
    free -= Double(bytes)
    return free < 0 ? .milliseconds(Int((-free / Self.rate * 1000).rounded(.up))) : nil
  }
}

/// Decides when a script that crashed is started again.
struct RestartPolicy: Sendable {
  /// The pauses before the first, second and third restart within `period`.
  static let pauses: [Duration] = [.seconds(1), .seconds(5), .seconds(30)]
  static let period = Duration.seconds(600)

  private var crashes: [Duration] = []

  /// Counts a crash.
  /// - Parameter now: of a clock that never goes back.
  /// - Returns: the pause before the next start; `nil`: it is not started again.
  mutating func crash(at now: Duration) -> Duration? {
    crashes.removeAll { now - $0 >= Self.period }
    crashes.append(now)
    return crashes.count <= Self.pauses.count ? Self.pauses[crashes.count - 1] : nil
  }

  /// Forgets all crashes: the user starts the script.
  mutating func reset() { crashes = [] }
}
