import Dispatch
import Glibc
import Synchronization

/// Has an ending signal end the program also where the terminal takes nothing: the main actor waits for it in a write then, and
/// is told of no signal.
///
/// From the signal on, what the terminal does not take is thrown away, so that the program ends as ever, with everything saved.
final class StalledOutputGuard {
  /// How often the terminal is looked at, in milliseconds. At last often, for only some kilobytes wait at a time, and a picture
  /// has millions.
  private nonisolated static let (step, lastStep) = (250, 2)
  /// A terminal that takes nothing at so many looks is not waited for.
  private nonisolated static let patience = 4

  private nonisolated let descriptor: CInt
  private nonisolated let queue = DispatchQueue(label: "natter.end-watch")
  private var sources: [any DispatchSourceSignal] = []
  private nonisolated let lent = Atomic(false)
  private nonisolated let isLooking = Atomic(false)

  /// Whether another program has the terminal: what waits for it is not Natter's then, and its keys are not meant for Natter.
  var isLent: Bool {
    get { lent.load(ordering: .relaxed) }
    set { lent.store(newValue, ordering: .relaxed) }
  }

  init(descriptor: CInt) { self.descriptor = descriptor }

  /// Listens to a signal from now on, if it is an ending one.
  func hear(_ number: Int32) {
    let isKey = number == SIGINT || number == SIGQUIT
    guard isKey || number == SIGTERM || number == SIGHUP else { return }
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    // On a queue of its own: not the main actor's.
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

  /// Looks until the process ends: what is told behind the screen has to get out, too.
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

  /// Whether the terminal takes nothing of what is Natter's. In the background it is somebody else's.
  private nonisolated var isRefused: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard !lent.load(ordering: .relaxed), poll(&entry, 1, 0) == 0 else { return false }
    let owner = tcgetpgrp(descriptor)
    return owner < 0 || owner == getpgrp()
  }

  private nonisolated func throwAway() {
    tcflush(descriptor, TCOFLUSH)
    // Room alone wakes nobody who waits for it; a terminal that goes on does.
    tcflow(descriptor, TCOOFF)
    tcflow(descriptor, TCOON)
  }

  /// Hears no signal any more; one that has come is still seen to.
  func end() {
    for source in sources { source.cancel() }
  }
}
