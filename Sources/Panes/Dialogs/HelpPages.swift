import NatterCore
import Terminal
import ViewModels

/// Makes the pages of the help from the tables that are in force, so that it cannot say what is not so.
package enum HelpPages {
  /// - Parameters:
  ///   - tabs: those there are, from the left.
  ///   - context: the pane that help was asked from.
  ///   - accepted: what of the bindings of that context it does anything for; `nil`: all of them.
  ///   - words: where the words are for what keys do in that pane (`SubApp.keyWords`).
  ///   - commands: the typed commands with their arguments, and what they do.
  ///   - other: further pages, as what is stored where.
  package static func pages(
    bindings: KeyBindingTable, tabs: [SubAppTab], context: KeyBinding.Context,
    accepted: Set<KeyAction>? = nil, words: String = "", commands: [HelpEntry],
    localizer: Localizer, other: [HelpPage] = []
  ) -> [HelpPage] {
    let bindings = bindings.reaching(tabs)
    let spelling = KeySpelling(localizer: localizer)
    let isAccepted = { (binding: KeyBinding) in
      // Help is everybody's.
      accepted?.contains(binding.action) ?? true || binding.action == .help
    }
    // What the pane has for itself on a key is told there, and not here as well.
    let reachable = bindings.bindings(in: .everywhere).compactMap { binding in
      let sequences = binding.sequences.filter { keys in
        let match = bindings.match(keys, in: context)
        // With an empty input Tab goes on, and Shift+Tab back.
        return match == .action(binding.action)
          || [.nextPane, .previousPane].contains(binding.action)
      }
      return sequences.isEmpty
        ? nil
        : KeyBinding(
          binding.action, in: binding.context, hinted: binding.isHinted, sequences: sequences)
    }
    let everywhere = HelpSection(
      heading: localizer("help.everywhere"),
      entries: self.entries(reachable, tabs: tabs, spelling: spelling, localizer: localizer))
    let paneName = name(of: context, localizer)
    var sections = [everywhere]
    if context != .everywhere {
      sections.insert(
        HelpSection(
          heading: localizer("help.thisPane"),
          entries: self.entries(
            bindings.bindings(in: context).filter(isAccepted), tabs: tabs, spelling: spelling,
            localizer: localizer, words: words)), at: 0)
    }
    let hasTwins = bindings.bindings.contains { binding in
      binding.sequences.contains { $0.count == 2 && $0[0] == .control("x") }
    }
    var pages = [
      HelpPage(
        id: localizer("help.topicKeys"), title: paneName, sections: sections,
        footer: hasTwins ? [localizer("help.noAlt")] : [])
    ]
    if !commands.isEmpty {
      pages.append(
        HelpPage(
          id: localizer("help.topicCommands"), title: localizer("help.commands"),
          sections: [HelpSection(heading: localizer("help.commandsHeading"), entries: commands)],
          footer: [localizer("help.commandsNote")]))
    }
    // What this pane has no use for, another one of its kind may have.
    // What changes text has a page of its own.
    let others = KeyBinding.Context.allCases.filter { ![.everywhere, .editing].contains($0) }
    let otherSections = others.compactMap { other in
      let section = HelpSection(
        heading: name(of: other, localizer),
        entries: self.entries(
          bindings.bindings(in: other).filter { other != context || !isAccepted($0) },
          tabs: tabs, spelling: spelling, localizer: localizer))
      return section.entries.isEmpty ? nil : section
    }
    if !otherSections.isEmpty {
      pages.append(
        HelpPage(
          id: localizer("help.topicPanes"), title: localizer("help.otherPanes"),
          sections: otherSections))
    }
    return pages + other
  }

  /// What is stored where: a page of help, and the same facts as the guide's third page.
  package static func privacy(localizer: Localizer, dataDirectory: String) -> HelpPage {
    HelpPage(
      id: localizer("help.topicPrivacy"), title: localizer("help.privacy"),
      sections: [
        HelpSection(
          heading: localizer("guide.privacy"),
          entries: [
            HelpEntry(localizer("guide.messages"), dataDirectory),
            HelpEntry(localizer("guide.password"), localizer("guide.passwordText")),
            HelpEntry(localizer("guide.log"), localizer("guide.logText")),
            HelpEntry(localizer("guide.network"), localizer("guide.networkText")),
            HelpEntry(localizer("guide.server"), localizer("guide.serverText")),
          ])
      ])
  }

  /// All keys with which text is changed wherever it is typed; those that are bound to something else in the input line are
  /// left out.
  package static func editing(_ bindings: KeyBindingTable, localizer: Localizer) -> HelpPage {
    // The ends of the line are the text's where there is any.
    let shared: Set<Key> = [Key(.home), Key(.end)]
    let free = bindings.bindings(in: .editing).compactMap { binding -> KeyBinding? in
      let sequences = binding.sequences.filter { keys in
        keys.count == 1 && shared.contains(keys[0])
          || bindings.match(keys, in: .input) == .action(binding.action)
      }
      return sequences.isEmpty
        ? nil : KeyBinding(binding.action, in: .editing, hinted: false, sequences: sequences)
    }
    return HelpPage(
      id: localizer("help.topicEditing"), title: localizer("help.editing"),
      sections: [
        HelpSection(
          heading: localizer("help.contextInput"),
          entries: entries(
            free, spelling: KeySpelling(localizer: localizer), localizer: localizer, showsAll: true)
        )
      ])
  }

  /// The keys of vi in the input line, for those who have them.
  package static func vi(localizer: Localizer) -> HelpPage {
    let keys = [
      ("h l 0 ^ $ w b e", "help.viMove"), ("f F t T ; ,", "help.viFind"),
      ("j k gg G", "help.viLines"), ("d c y", "help.viOperators"),
      ("x X D C Y s S r ~ J", "help.viChange"), ("p P", "help.viPut"),
      ("i a I A o O", "help.viText"), ("u ^R .", "help.viUndo"), ("3", "help.viNumbers"),
      ("Alt+w", "help.viChords"),
    ]
    return HelpPage(
      id: localizer("help.topicVi"), title: localizer("help.vi"),
      sections: [
        HelpSection(
          heading: localizer("help.contextInput"),
          entries: keys.map { HelpEntry($0, localizer($1)) })
      ])
  }

  /// The keys of the tabs there are: those of the first five are the ends of a row.
  private static func entry(
    of tabs: [SubAppTab], _ bindings: [KeyBinding], spelling: KeySpelling, localizer: Localizer
  ) -> HelpEntry {
    let keys = tabs.compactMap { tab in
      bindings.first { $0.action == KeyAction.opening(tab) }?.sequences.first.map { spelling($0) }
    }
    let row = keys.prefix(5)
    let ends = row.count < 3 ? row.joined(separator: ", ") : row[0] + ".." + row[row.count - 1]
    let names = tabs.map { $0.name(localizer) }
    return HelpEntry(
      ([ends] + keys.dropFirst(5)).joined(separator: ", "),
      localizer(
        "key.tabs",
        [
          "first": names.first ?? "", "second": names.dropFirst().first ?? "",
          "last": names.last ?? "",
        ]))
  }

  static func name(of context: KeyBinding.Context, _ localizer: Localizer) -> String {
    switch context {
    case .everywhere: localizer("help.contextEverywhere")
    case .input: localizer("help.contextInput")
    case .editing: localizer("help.editing")
    case .messages: localizer("help.contextMessages")
    case .list: localizer("help.contextList")
    }
  }

  /// One entry for each binding; the ten conversations are one, and so are the tabs.
  /// - Parameter showsAll: whether each has all its keys, and not the shortest ways alone.
  private static func entries(
    _ bindings: [KeyBinding], tabs: [SubAppTab] = [], spelling: KeySpelling,
    localizer: Localizer, words: String = "", showsAll: Bool = false
  ) -> [HelpEntry] {
    let numbers: Set<KeyAction> = [
      .conversation2, .conversation3, .conversation4, .conversation5, .conversation6,
      .conversation7, .conversation8, .conversation9, .conversation10,
    ]
    return bindings.compactMap { binding in
      if numbers.contains(binding.action) || KeyAction.tabs.dropFirst().contains(binding.action) {
        return nil
      }
      if binding.action == .tab1 {
        return entry(of: tabs, bindings, spelling: spelling, localizer: localizer)
      }
      if binding.action == .conversation1 {
        let last = bindings.last { numbers.contains($0.action) } ?? binding
        let keys = [binding, last].compactMap { $0.sequences.first.map { spelling($0) } }
        return HelpEntry(keys.joined(separator: ".."), localizer("help.conversations"))
      }
      if showsAll {
        let keys = binding.sequences.map { spelling($0) }.joined(separator: ", ")
        return HelpEntry(keys, localizer(binding.descriptionKey))
      }
      var keys = binding.sequences.filter { $0.count == 1 }.prefix(2).map { spelling($0) }
      // The second way only where the column of keys stays narrow.
      if keys.count == 2, keys.joined(separator: ", ").columns > 12 { keys.removeLast() }
      let all = keys.isEmpty ? binding.sequences.prefix(1).map { spelling($0) } : Array(keys)
      guard !all.isEmpty else { return nil }
      return HelpEntry(
        all.joined(separator: ", "), binding.action.description(at: words, localizer))
    }
  }
}
