/// The ports and the state of the archive service, and the parts of it that store nothing of their
/// own. All other parts share it.
final class ArchiveContext {
  let ports: ArchivePorts
  let state: ArchiveState
  let reader: ArchiveReader
  let owners: ArchiveOwners
  let ranges: RangeTracker
  let pages: PageStore

  init(_ ports: ArchivePorts) {
    self.ports = ports
    state = ArchiveState(account: ports.account)
    reader = ArchiveReader(state: state)
    owners = ArchiveOwners(ports: ports, state: state)
    ranges = RangeTracker(ports: ports, state: state)
    pages = PageStore(ports: ports, state: state, owners: owners)
  }
}

/// A part of the archive service.
protocol ArchivePart {
  var context: ArchiveContext { get }
}

extension ArchivePart {
  var ports: ArchivePorts { context.ports }
  var state: ArchiveState { context.state }
  var reader: ArchiveReader { context.reader }
  var owners: ArchiveOwners { context.owners }
  var ranges: RangeTracker { context.ranges }
  var pages: PageStore { context.pages }
}
