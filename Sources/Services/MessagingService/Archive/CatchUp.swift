import Diagnostics
import FoundationEssentials
import NatterCore
import XMPP

/// Reads what came since an archive was last looked at.
final class CatchUp: ArchivePart {
  let context: ArchiveContext
  private let offline: OfflineDeliveries
  /// The time at which a catch-up that ended early is repeated.
  var retry = CatchUpRetry()

  /// The number of pages that are read forwards before the newest one is taken.
  private static let forwardPages = 2

  init(_ context: ArchiveContext, offline: OfflineDeliveries) {
    self.context = context
    self.offline = offline
  }

  /// Catches up with `archive`; then live messages move its newest range's end, if all arrive.
  ///
  /// Ranges of an earlier reading stay as they are, including that of its live messages.
  /// - Parameter visit: of a room: in which visit it is read.
  func follow(
    _ archive: JID, isFollowed: Bool, visit: Int? = nil, over channel: any StanzaChannel,
    isolation: isolated (any Actor)? = #isolation
  ) async {
    if state.session.open[archive]?.isPrepared != false {
      await ranges.storeEnd(of: archive)
      ranges.begin(archive, isFollowed: isFollowed, visit: visit)
    }
    guard let number = state.session.open[archive]?.number else { return }
    state.session.open[archive]?.setFollowed(isFollowed)
    let slowness = Task { [sleep = ports.sleep] in
      // Runs where the archive's state belongs.
      _ = isolation
      try await sleep(Self.quickly)
      reportDelay(in: archive, number)
    }
    await state.inbox.run(in: .reading(archive)) {
      await catchUp(with: archive, number, over: channel)
    }
    slowness.cancel()
  }

  /// The time that a catch-up may take before the user sees that messages may be missing: most are
  /// faster, and a line that flashes at each login is of no use.
  private static let quickly = Duration.seconds(2)

  /// Shows that messages may be missing before the offline messages (`holes(in:)`).
  private func reportDelay(in archive: JID, _ number: Int) {
    guard archive == ports.account, state.session.open[archive]?.number == number,
      state.session.open[archive]?.live == nil
    else { return }
    ports.hub.publish(.archiveChanged(archive))
  }

  private func catchUp(with archive: JID, _ number: Int, over channel: any StanzaChannel) async {
    guard state.session.open[archive]?.number == number else { return }
    do {
      var known = try await ports.store.ranges(of: archive, with: nil).last
      if let range = known { known?.end.at = try await ports.store.storedEnd(of: range) }
      guard await prepare(archive, number, after: known?.end.at ?? .distantPast) else { return }
      var range = try await caughtUp(from: known, of: archive, over: channel)
      // Another session, or another visit, has begun, and reads on from what is stored.
      guard state.session.open[archive]?.number == number else { return }
      // A room sends everything after a join. The account's session may be another connection's,
      // and its reading may have gone on over another one.
      let isWhole =
        archive != ports.account && state.session.open[archive]?.connection == state.connections
      let readTo = OpenArchive.Unchecked(from: range.end, range.anchor)
      let unchecked = isWhole ? nil : readTo
      guard let joined = try await join(range, number, unchecked) else { return }
      range = joined
      // Another connection may have come while that was stored.
      let isStillWhole = isWhole && state.session.open[archive]?.connection == state.connections
      state.session.open[archive]?.finish(with: range, unchecked: isStillWhole ? nil : readTo)
      if archive == ports.account { await offline.forget() }
      ports.hub.publish(.archiveChanged(archive))
    } catch let error as StanzaError where !error.mayPass {
      // What it said in an earlier visit holds for that one.
      if state.session.open[archive]?.number == number { state.session.unreadable.insert(archive) }
      ports.log.info("there is no archive of \(archive.domain) that can be read")
      await noteRefusal(error, of: archive, number)
    } catch {
      // What is known is stored: it goes on from there, in this session or in the next one.
      if state.session.open[archive]?.number == number {
        state.session.open[archive]?.isBehind = true
      }
      ports.log.warning("reading the archive ended early: \(error)")
      reportDelay(in: archive, number)
    }
  }

  /// Joins live messages that arrived meanwhile with what was read: nothing lies between.
  /// - Parameter unchecked: how far `range` is certain; `nil`: all of it is.
  /// - Returns: the range with it; `nil` when it is another reading.
  private func join(
    _ range: ArchiveRange, _ number: Int, _ unchecked: OpenArchive.Unchecked?
  ) async throws -> ArchiveRange? {
    let archive = range.archive
    return try await state.inbox.run(in: .writing(archive)) {
      guard state.session.open[archive]?.number == number else { return nil }
      guard var joined = state.session.open[archive]?.join(range, certainTo: unchecked) else {
        return range
      }
      joined.range.row = try await ports.store.save(
        joined.certain, absorbing: [joined.island]
      ).row
      guard state.session.open[archive]?.number == number else { return nil }
      if unchecked != nil { state.session.open[archive]?.outgrewStored() }
      return joined.range
    }
  }

  /// Puts the border after all that is known, and the live messages that arrived already behind it.
  /// - Returns: whether it is still this reading.
  private func prepare(_ archive: JID, _ number: Int, after known: Date) async -> Bool {
    guard state.session.open[archive]?.number == number else { return false }
    if state.session.open[archive]?.prepare(after: known) == true {
      await ranges.storeEnd(of: archive)
    }
    return state.session.open[archive]?.number == number
  }

  /// Reads what came since the last known message.
  /// - Returns: the range that now ends with the archive's newest message.
  private func caughtUp(
    from known: ArchiveRange?, of archive: JID, over channel: any StanzaChannel
  ) async throws -> ArchiveRange {
    if archive == ports.account {
      // Offline messages arrive before the reply to a ping: they have their position, and are new,
      // before the archive returns them.
      // A server that refuses to be pinged answers all the same.
      _ = try? await channel.request(
        XEP0199Ping.question(to: JID(local: nil, domain: ports.account.domain)))
    }
    guard let known else {
      return try await newest(of: archive, since: nil, after: nil, over: channel)
    }
    var walk = ArchiveWalk(from: known.end)
    var range = known
    var count = 0
    while count < Self.forwardPages {
      let page: XEP0313Page
      do {
        page = try await channel.archivePage(walk.query(limit: ArchiveReader.pageSize), of: archive)
      } catch let error as StanzaError where error.condition == .itemNotFound {
        guard walk.restartFromTime(tolerance: ArchiveReader.clockTolerance) else { break }
        continue
      }
      switch try await reader.step(&walk, to: page, of: archive, over: channel) {
      case .restart: continue
      case .lost:
        ports.log.warning("the archive does not go on from the last known message")
        return try await newest(of: archive, since: known.end.at, after: range, over: channel)
      case .next, .last:
        count += 1
        let times = ArchiveOrder.times(
          of: page.results.map(\.stamp), after: walk.isByTime ? nil : range.end.at,
          now: latest(in: archive))
        if let id = page.newest {
          range.end = ArchivePosition(id: id, at: max(range.end.at, times.last ?? range.end.at))
          range = try await pages.save(
            page, times, making: range, as: .news(since: known.end.at),
            isByTime: walk.isByTime)
          range = try await meet(page, as: range)
        }
        if walk.isDone { return range }
      }
    }
    // Much was missed: the user looks at the newest page, and a gap is left before it.
    return try await newest(of: archive, since: known.end.at, after: range, over: channel)
  }

  /// Returns the latest time for what is read when the session begins: before what comes live.
  private func latest(in archive: JID) -> Date {
    state.session.open[archive]?.latest(now: ports.now()) ?? ports.now()
  }

  /// Reads the newest page and makes a range of it.
  /// - Parameters:
  ///   - since: what was sent later is news; `nil`: nothing is.
  ///   - older: the newest range that is known.
  private func newest(
    of archive: JID, since: Date?, after older: ArchiveRange?, over channel: any StanzaChannel
  ) async throws -> ArchiveRange {
    let arrived = state.session.open[archive]?.arrivedLive
    let page = try await channel.archivePage(
      XEP0313Query(.last, limit: ArchiveReader.pageSize), of: archive)
    // Before the page, if it has none of those that arrived before it was requested: more was said
    // since than a page has. What comes after its answer is later.
    let passed = arrived?.last(before: page).map { last in
      (last: state.session.open[archive]?.arrivedLive?.last(before: page) ?? last, at: ports.now())
    }
    var contact: ArchiveContact?
    if let older, page.oldest != nil, page.newest != nil {
      contact = try await reader.contact(of: page, with: older.end, of: archive, over: channel)
    }
    // Where nothing was known, what came since the session began has its own time.
    let latest = passed?.at ?? (since == nil ? ports.now() : latest(in: archive))
    guard
      let newest = NewestPage(
        page, after: older, contact: contact, arrived: passed?.last, latest: latest)
    else {
      // Nothing there: everything that comes will be new.
      let point = ArchivePosition(id: "", at: ports.now())
      let range = ArchiveRange(
        archive: archive, start: point, end: point, reachesBeginning: true)
      return try await ports.store.save(range)
    }
    let border = state.session.open[archive]?.border ?? ports.now()
    let range = try await pages.save(
      page, newest.times, making: newest.range(of: archive, now: ports.now()),
      as: since.map { .news(since: $0) } ?? .begun(at: border),
      // What is known and not among it came before it.
      following: newest.isJoined ? nil : border)
    return try await meet(page, as: range, isNewest: true)
  }

  /// Live messages that were read as well belong to the page; later ones are their own range.
  /// - Parameter isNewest: whether it is the archive's last page: earlier live messages are older.
  /// - Returns: `range`, which the page belongs to, as it is stored then.
  private func meet(_ page: XEP0313Page, as range: ArchiveRange, isNewest: Bool = false)
    async throws -> ArchiveRange
  {
    let archive = range.archive
    let number = state.session.open[archive]?.number
    state.session.open[archive]?.noteRead(page.results.map(\.id))
    guard let read = state.session.open[archive]?.read else { return range }
    var range = range
    range.end.at = try await ports.store.storedEnd(of: range)
    let next = try await nextArrival(in: archive)
    return try await state.inbox.run(in: .writing(archive)) {
      // Another session, or another visit, has begun.
      guard state.session.open[archive]?.number == number,
        let meeting = state.session.open[archive]?.meet(
          range, reading: read, next: next, isNewest: isNewest)
      else { return range }
      switch meeting {
      case .apart: return range
      case .joined(let joined, absorbing: let island):
        return try await ports.store.save(joined, absorbing: island)
      case .moved:
        await ranges.writeEnd(of: archive)
        return try await ports.store.save(range)
      }
    }
  }

  /// The time of the first live message that was not read; not every archive entry is a message.
  private func nextArrival(in archive: JID) async throws -> Date? {
    for id in state.session.open[archive]?.arrived.prefix(ArchiveReader.pageSize) ?? [] {
      if let time = try await ports.store.storedTime(of: id, in: archive) { return time }
    }
    return nil
  }

  /// Catches up once more with the archives of which catch-up ended early.
  func again() async {
    retry.begin()
    for (archive, reading) in state.session.open where reading.isBehind {
      guard let channel = state.session.channel,
        state.session.open[archive]?.number == reading.number
      else { continue }
      await follow(
        archive, isFollowed: reading.isFollowed, visit: reading.visit, over: channel)
    }
  }
}
