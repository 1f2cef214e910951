import NatterCore

/// The pictures that messages offer, as far as they are on this disk.
package struct TimelinePictures {
  /// Finds the picture of a message on this disk; `nil` if it is missing or cannot be shown.
  package typealias Finding = @MainActor (Message) async -> PictureFile?

  let find: Finding
  private(set) var found: [Message.ID: PictureFile] = [:]
  private var asked: Set<Message.ID> = []

  /// Above this number of look-ups, those for messages of other conversations are forgotten.
  private static let limit = 1000

  init(find: @escaping Finding) { self.find = find }

  /// The `messages` to look for, the newest first; each is returned once.
  mutating func take(from messages: [Message]) -> [Message] {
    if asked.count > Self.limit {
      let ids = Set(messages.map(\.id))
      asked.formIntersection(ids)
      found = found.filter { ids.contains($0.key) }
    }
    return messages.reversed().filter { message in
      guard message.offersPicture else { return false }
      return asked.insert(message.id).inserted
    }
  }

  mutating func keep(_ file: PictureFile, of id: Message.ID) { found[id] = file }

  /// Has files of finished transfers looked for again: they are on this disk now.
  mutating func handle(_ event: DomainEvent, among messages: [Message]) {
    guard case .transfersChanged(let changed) = event else { return }
    for transfer in changed where transfer.state == .done {
      let own = transfer.originID.flatMap { origin in
        messages.first { $0.originID == origin }?.id
      }
      if let id = transfer.message ?? own { asked.remove(id) }
    }
  }
}

extension TimelineViewModel {
  /// Looks for the pictures of the loaded messages; called by drawing, where pictures are shown.
  package func lookForPictures() {
    let wanted = pictures.take(from: window.messages)
    guard !wanted.isEmpty else { return }
    lifetime.aside { [weak self, find = pictures.find] in
      var isNew = false
      for (index, message) in wanted.enumerated() {
        guard let file = await find(message) else { continue }
        self?.pictures.keep(file, of: message.id)
        isNew = true
        // The newest are those on the screen.
        if index < 4 { self?.refresh() }
      }
      if isNew { self?.refresh() }
    }
  }
}
