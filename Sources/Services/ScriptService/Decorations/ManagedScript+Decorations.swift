import NatterCore

// Scripts that decorate the messages on the screen.
extension Scripts: MessageDecorating {
  package func decorations(of request: DecorationRequest) async -> [Message.ID: MessageDecoration] {
    for name in managed.keys { managed[name]?.askToDecorate(request, changed) }
    return await ManagedScript.decorations(of: request, managed)
  }

  func renewDecorations(_ name: String) { managed[name]?.renewDecorations(setup.clock, changed) }
}

extension ManagedScript {
  /// The rights that it needs to decorate messages.
  private static let needed = [ScriptRight.decorations, .bridge(.readMessages)]

  /// Returns what all scripts have for messages. Where two mark the same part, the first by name
  /// counts.
  static func decorations(
    of request: DecorationRequest, _ scripts: [String: ManagedScript]
  ) async -> [Message.ID: MessageDecoration] {
    // A frame shows so many messages at most that this is no limit for it.
    guard request.messages.count <= ScriptLimits.decoration.shown else { return [:] }
    var known: [(name: String, decorations: [Message.ID: MessageDecoration])] = []
    await withTaskGroup(of: (String, [Message.ID: MessageDecoration]).self) { group in
      for (name, script) in scripts {
        guard let decorations = script.decorations else { continue }
        group.addTask { (name, await decorations.decorations(of: request)) }
      }
      for await (name, found) in group where !found.isEmpty { known.append((name, found)) }
    }
    var merged: [Message.ID: MessageDecoration] = [:]
    for (_, found) in known.sorted(by: { $0.name < $1.name }) {
      for (id, decoration) in found {
        merged[id, default: MessageDecoration()].add(decoration)
      }
    }
    return merged
  }

  /// Asks the user, once for each account, for the rights that it needs to decorate what is on the
  /// screen.
  mutating func askToDecorate(_ request: DecorationRequest, _ changed: ScriptChanges) {
    let (ledger, account) = (rights.ledger, request.account)
    guard decorations != nil,
      hosted.manifest.decorates(request.conversation, request.kind),
      isRunning || state == .sleeping && hosted.manifest.start == .lazy,
      Self.needed.contains(where: { ledger.decision($0, in: account) == .refused(.notAsked) }),
      askedToDecorate.insert(account).inserted
    else { return }
    Task { [rights] in
      for right in Self.needed {
        guard case .held = await rights.request(right, in: account) else { return }
      }
      changed.send(.decorations)
    }
  }

  /// Forgets what it has for messages: the next host, or the next run, is asked again.
  mutating func renewDecorations(_ clock: BridgeClock, _ changed: ScriptChanges) {
    endDecorations()
    guard hosted.manifest.decorated != nil else { return }
    let (ledger, host) = (rights.ledger, host)
    decorations = ScriptDecorations(
      clock, isAllowed: { ledger.mayDecorate($0) },
      ask: { batch in
        guard let answer = await host.decorate(batch) else { return nil }
        ledger.note(.decorations, in: nil)
        ledger.note(.bridge(.readMessages), in: batch.account)
        return answer
      }, onNews: { changed.send(.decorations) })
    changed.send(.decorations)
  }

  /// Forgets what it has for messages, and asks it nothing more.
  mutating func endDecorations() {
    decorations?.end()
    decorations = nil
  }

  /// Takes the state that its host has reported: what it has for messages goes when it has failed,
  /// and it can be asked once it runs.
  mutating func enter(_ state: ScriptState, _ clock: BridgeClock, _ changed: ScriptChanges) {
    self.state = state
    if case .failed = state {
      renewDecorations(clock, changed)
    } else if isRunning, decorations != nil {
      changed.send(.decorations)
    }
  }
}

extension RightsLedger {
  /// Returns whether a script may see the messages of a conversation, and mark them.
  func mayDecorate(_ request: DecorationRequest) -> Bool {
    guard manifest.decorates(request.conversation, request.kind), holds(.decorations),
      case .held(let scope) = decision(.bridge(.readMessages), in: request.account)
    else { return false }
    return scope.contains(request.conversation, request.kind)
  }
}
