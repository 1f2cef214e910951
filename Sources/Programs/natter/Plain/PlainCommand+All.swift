import NatterCore
import ViewModels

// The commands of line mode, in the order of its help.
extension PlainCommand {
  static let all = talking + reading + rooms + people + files + own + program

  private static let talking: [PlainCommand] = [
    PlainCommand("chat") { await PlainChoice(session: $0.session).chat($0.text) },
    PlainCommand("msg") { await PlainChoice(session: $0.session).message($0.text) },
    PlainCommand("me") { call in
      guard !call.text.isEmpty else {
        return PlainHelp(session: call.session).showUsage(of: "me")
      }
      await call.session.send("/me " + call.text)
    },
    PlainCommand("say", isWhole: true) { call in
      guard !call.text.isEmpty else {
        return PlainHelp(session: call.session).showUsage(of: "say")
      }
      await call.session.send(call.text)
    },
    PlainCommand("reply", isWhole: true) { call in
      await PlainConversation(session: call.session).reply(call.text)
    },
    PlainCommand("edit") { await $0.session.edit($0.text) },
    PlainCommand("react") { await $0.session.react($0.text) },
    PlainCommand("delete") { await $0.session.delete(asked: $0.asked) },
    PlainCommand("retry") { await $0.session.retry($0.text) },
    PlainCommand("cancel") { call in
      let fetching = PlainHistoryFetch(session: call.session)
      guard !call.text.isEmpty || !fetching.cancelHere() else { return }
      await call.session.cancel(call.text, asked: call.asked)
    },
    PlainCommand("close", isWhole: true) { call in
      try await PlainConversation(session: call.session).close()
    },
    PlainCommand("notify", isWhole: true) { call in
      try await PlainConversation(session: call.session).notify(call.text)
    },
    PlainCommand("mute", isWhole: true) { call in
      try await PlainConversation(session: call.session).mute(call.text)
    },
    PlainCommand("unmute", isWhole: true) { call in
      try await PlainConversation(session: call.session).unmute()
    },
  ]

  private static let reading: [PlainCommand] = [
    PlainCommand("history", isWhole: true) { call in
      if let request = HistoryRequest(rawValue: call.text.lowercased()) {
        return try PlainHistoryFetch(session: call.session).run(request)
      }
      try await PlainHistory(session: call.session).show(call.text)
    },
    PlainCommand("goto", isWhole: true) { call in
      try await PlainHistory(session: call.session).show(day: call.text)
    },
    PlainCommand("search", isWhole: true) { call in
      try await PlainLists(session: call.session).find(call.text)
    },
    PlainCommand("unread", isWhole: true) { call in
      try await PlainConversation(session: call.session).unread(call.text)
    },
    PlainCommand("read", isWhole: true) { call in
      try await PlainConversation(session: call.session).read(call.text)
    },
    PlainCommand("export", isWhole: true) { call in
      await PlainHistoryFiles(session: call.session)
        .run(try HistoryFileRequest(exporting: call.text))
    },
    PlainCommand("import", isWhole: true) { call in
      await PlainHistoryFiles(session: call.session)
        .run(try HistoryFileRequest(importing: call.text))
    },
    PlainCommand("window", isWhole: true) { call in
      try await PlainLists(session: call.session).conversations(call.text)
    },
    PlainCommand("chats", isWhole: true) { call in
      try await PlainLists(session: call.session).conversations(call.text)
    },
  ]

  private static let rooms: [PlainCommand] = [
    PlainCommand("join") { await $0.session.join($0.text) },
    PlainCommand("leave") { await $0.session.leave($0.text) },
    PlainCommand("members") { await $0.session.listMembers() },
    PlainCommand("nick") { call in
      await call.session.inRoom(call.text, "nick") {
        try await $0.changeNick(call.text, in: $1)
      }
    },
    PlainCommand("topic") { await $0.session.topic($0.text) },
    PlainCommand("invite") { await $0.session.invite($0.text) },
    PlainCommand("voice") { call in
      await call.session.inRoom {
        try await $0.askForVoice(in: $1)
        call.session.say("status.voiceAsked")
      }
    },
    PlainCommand("kick") { await $0.session.kick($0.text) },
    PlainCommand("ban") { await $0.session.ban($0.text) },
    PlainCommand("unban") { await $0.session.unban($0.text) },
    PlainCommand("affiliation") { await $0.session.affiliation($0.text) },
    PlainCommand("role") { await $0.session.role($0.text) },
  ]

  private static let people: [PlainCommand] = [
    PlainCommand("contacts", isWhole: true) { await PlainLists(session: $0.session).contacts() },
    PlainCommand("whois", isWhole: true) { call in
      try await PlainPresence(session: call.session).show(of: call.text)
    },
    PlainCommand("add") { try await PlainPeople(session: $0.session).add($0.text) },
    PlainCommand("accept", isWhole: true) { call in
      try await PlainPeople(session: call.session).answer(call.text, isAccepted: true)
    },
    PlainCommand("deny", isWhole: true) { call in
      try await PlainPeople(session: call.session).answer(call.text, isAccepted: false)
    },
    PlainCommand("remove", isWhole: true) { call in
      try await PlainPeople(session: call.session).remove(call.text, asked: call.asked)
    },
    PlainCommand("block", isWhole: true) { call in
      try await PlainPeople(session: call.session).block(call.text, asked: call.asked)
    },
    PlainCommand("unblock", isWhole: true) { call in
      try await PlainPeople(session: call.session).unblock(call.text)
    },
  ]

  private static let files: [PlainCommand] = [
    PlainCommand("upload") { await $0.session.upload($0.text) },
    PlainCommand("files", isWhole: true) { try await PlainLists(session: $0.session).files() },
    PlainCommand("open", isWhole: true) { await $0.session.open(file: $0.text) },
    PlainCommand("save") { await $0.session.save($0.text) },
  ]

  private static let own: [PlainCommand] = [
    PlainCommand("status", isWhole: true) { call in
      try await PlainPresence(session: call.session).status(call.text)
    },
    PlainCommand("away", isWhole: true) { call in
      try await PlainPresence(session: call.session).set(.away, call.text)
    },
    PlainCommand("back", isWhole: true) { call in
      try await PlainPresence(session: call.session).set(.online, call.text)
    },
    PlainCommand("dnd", isWhole: true) { call in
      try await PlainPresence(session: call.session).set(.busy, call.text)
    },
    PlainCommand("ping", isWhole: true) { call in
      let presence = PlainPresence(session: call.session)
      guard call.text.isEmpty else { return try await presence.show(of: call.text) }
      await presence.showConnection()
    },
  ]

  private static let program: [PlainCommand] = [
    PlainCommand("connect") { call in
      // Report the result even if it equals the last one.
      call.session.lastProblem = nil
      await call.session.ports.connection.connectNow()
    },
    PlainCommand("disconnect", isWhole: true) { call in
      await call.session.ports.connection.goOffline()
    },
    PlainCommand("login") { await $0.session.askPassword($0.text) },
    PlainCommand("version", isWhole: true) { call in
      guard call.text.isEmpty else {
        return try await PlainPresence(session: call.session).show(of: call.text)
      }
      call.session.say("plain.version", ["version": ClientIdentity.version])
    },
    PlainCommand("script", isWhole: true) { call in
      try await PlainScripts(session: call.session).perform(call.text, asked: call.asked)
    },
    PlainCommand("help") { try PlainHelp(session: $0.session).show($0.text) },
    // Ending the program is the caller's part.
    PlainCommand("quit") { _ in },
  ]
}
