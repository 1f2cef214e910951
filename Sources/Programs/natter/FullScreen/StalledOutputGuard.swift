import Dispatch
import Glibc
import Synchronization

/// Lets an ending signal end the program while a write to a stalled terminal blocks the main actor,
/// which then receives no signal.
///
/// From the signal on, output that the terminal does not take is discarded, so that the program
/// ends as usual, with everything saved.
final class StalledOutputGuard {
  /// The intervals of checks of the terminal, in milliseconds. The last one is short because only
  /// some kilobytes wait at a time, and a picture has millions.
  private nonisolated static let (step, lastStep) = (250, 2)
  /// The number of checks after which a terminal that takes nothing is not waited for.
  private nonisolated static let patience = 4

  private nonisolated let descriptor: CInt
  private nonisolated let queue = DispatchQueue(label: "natter.end-watch")
  private var sources: [any DispatchSourceSignal] = []
  private nonisolated let lent = Atomic(false)
  private nonisolated let isLooking = Atomic(false)

  /// Indicates whether another program has the terminal: then the waiting output is not Natter's,
  /// and the keys are not meant for Natter.
  var isLent: Bool {
    get { lent.load(ordering: .relaxed) }
    set { lent.store(newValue, ordering: .relaxed) }
  }

  init(descriptor: CInt) { self.descriptor = descriptor }

  /// Handles a signal from now on, if it is an ending one.
  func hear(_ number: Int32) {
    let isKey = number == SIGINT || number == SIGQUIT
    guard isKey || number == SIGTERM || number == SIGHUP else { return }
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    // On a separate queue, not the main actor's.
    source.setEventHandler { @Sendable [weak self] in self?.signalCame(isKey: isKey) }
    source.resume()
    sources.append(source)
  }

  private nonisolated func signalCame(isKey: Bool) {
    guard !(isKey && lent.load(ordering: .relaxed)),
      !isLooking.exchange(true, ordering: .relaxed)
    else { return }
    look(refusals: 0)
  }

  /// Checks until the process ends: output after the screen has closed has to get out, too.
  private nonisolated func look(refusals: Int) {
    var refusals = refusals
    if isRefused {
      refusals += 1
      if refusals >= Self.patience { throwAway() }
    }
    let pause = refusals < Self.patience ? Self.step : Self.lastStep
    queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [self, refusals] in
      look(refusals: refusals)
    }
  }

  /// Indicates whether the terminal takes none of Natter's output. In the background, the output
  /// belongs to another process group.
  private nonisolated var isRefused: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard !lent.load(ordering: .relaxed), poll(&entry, 1, 0) == 0 else { return false }
    let owner = tcgetpgrp(descriptor)
    return owner < 0 || owner == getpgrp()
  }

  private nonisolated func throwAway() {
    tcflush(descriptor, TCOFLUSH)
    // Free space alone does not wake a blocked writer; resuming the terminal does.
    tcflow(descriptor, TCOOFF)
    tcflow(descriptor, TCOON)
  }

  /// Handles no further signals; a signal that has come already is still handled.
  func end() {
    for source in sources { source.cancel() }
  }
}
