import NatterCore

// Scripts that decorate the messages on the screen.
extension Scripts: MessageDecorating {
  package func decorations(of request: DecorationRequest) async -> [Message.ID: MessageDecoration] {
    // A frame shows so many messages at most that this is no limit for it.
    guard request.messages.count <= ScriptLimits.decoration.shown else { return [:] }
    var known: [(name: String, decorations: [Message.ID: MessageDecoration])] = []
    await withTaskGroup(of: (String, [Message.ID: MessageDecoration]).self) { group in
      for (name, script) in managed {
        guard let decorations = script.decorations,
          script.hosted.manifest.decorates(request.conversation, request.kind)
        else { continue }
        askToDecorate(name, script, request)
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

  /// Asks the user, once for each account, for the rights that a script needs to decorate what is on
  /// the screen.
  private func askToDecorate(
    _ name: String, _ script: ManagedScript, _ request: DecorationRequest
  ) {
    let (ledger, account) = (script.rights.ledger, request.account)
    let needed = [ScriptRight.decorations, .bridge(.readMessages)]
    guard script.isRunning || script.state == .sleeping && script.hosted.manifest.start == .lazy,
      needed.contains(where: { ledger.decision($0, in: account) == .refused(.notAsked) }),
      managed[name]?.askedToDecorate.insert(account).inserted == true
    else { return }
    Task { [changed, rights = script.rights] in
      for right in needed {
        guard case .held = await rights.request(right, in: account) else { return }
      }
      changed.send(.decorations)
    }
  }

  /// Forgets what a script has for messages: the next host, or the next run, is asked again.
  func renewDecorations(_ name: String) {
    guard let script = managed[name] else { return }
    script.decorations?.end()
    managed[name]?.decorations = nil
    guard script.hosted.manifest.decorated != nil else { return }
    let (ledger, host) = (script.rights.ledger, script.host)
    managed[name]?.decorations = ScriptDecorations(
      setup.clock, isAllowed: { ledger.mayDecorate($0) },
      ask: { batch in
        guard let answer = await host.decorate(batch) else { return nil }
        ledger.note(.decorations, in: nil)
        ledger.note(.bridge(.readMessages), in: batch.account)
        return answer
      }, onNews: { [changed] in changed.send(.decorations) })
    changed.send(.decorations)
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
