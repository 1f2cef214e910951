import Testing

/// A synonym and the entry of the palette, by its identifier, that it leads to.
nonisolated struct SynonymPair: Sendable, CustomTestStringConvertible {
  let language: String
  let synonym: String
  let id: String

  var testDescription: String { "\(language): \(synonym), \(id)" }
}

/// Names of actions and commands in weechat, irssi, profanity, poezio, Slack, Signal, Telegram,
/// Gajim, Dino, vi and emacs, written down independently of the files in Resources/locales.
nonisolated enum SynonymPairs {
  static let all =
    pairs(of: english, in: "en") + pairs(of: french, in: "fr") + pairs(of: chinese, in: "zh-Hans")

  private static func pairs(of table: [(String, String)], in language: String) -> [SynonymPair] {
    table.map { SynonymPair(language: language, synonym: $0, id: $1) }
  }

  private static let english: [(String, String)] = [
    ("mute", "command mute"), ("mute", "command notify"), ("unmute", "command mute"),
    ("silence", "command notify"), ("snooze", "command mute"), ("bell", "command notify"),
    ("notifications", "command notify"), ("paste", "action yank"), ("clipboard", "command copy"),
    ("clipboard", "action yank"), ("mark", "action plainView"),
    ("mark as read", "action nextUnread"), ("quote", "command reply"),
    ("quote", "action replyMessage"), ("cite", "command reply"), ("respond", "command reply"),
    ("lastlog", "command search"), ("lastlog", "action find"), ("grep", "command search"),
    ("scrollback", "action find"), ("find", "command search"), ("history", "action searchHistory"),
    ("buffer", "command window"), ("buffer", "action nextConversation"),
    ("window", "command window"), ("switch", "command window"), ("query", "command chat"),
    ("dm", "command chat"), ("whisper", "command msg"), ("pm", "command msg"),
    ("correct", "command edit"), ("fix", "command edit"), ("typo", "action editMessage"),
    ("amend", "command edit"), ("dnd", "command dnd"), ("busy", "command dnd"),
    ("focus", "command dnd"), ("afk", "command away"), ("brb", "command away"),
    ("invisible", "command status"), ("emote", "command me"), ("archive", "command close"),
    ("close chat", "action hideConversation"), ("cls", "command clear"), ("wipe", "command clear"),
    ("star", "command pin"), ("favourite", "action pin"), ("reorder", "command number"),
    ("unhide", "action undoList"), ("reopen", "command undo"), ("vsplit", "action splitBeside"),
    ("hsplit", "action splitStacked"), ("muc", "command join"), ("channel", "command join"),
    ("group chat", "command join"), ("bookmark", "command join"), ("part", "command leave"),
    ("occupants", "command members"), ("nicklist", "command members"), ("names", "command members"),
    ("alias", "command nick"), ("headline", "command topic"), ("subject", "command topic"),
    ("expel", "command kick"), ("blacklist", "command ban"), ("pardon", "command unban"),
    ("promote", "command affiliation"), ("devoice", "command role"),
    ("raise hand", "command voice"), ("dissolve", "command destroy"), ("buddy", "command add"),
    ("subscribe", "command add"), ("unfriend", "command remove"), ("ignore", "command block"),
    ("spam", "command block"), ("squelch", "command block"), ("allow", "command unblock"),
    ("vcard", "command whois"), ("profile", "command whois"), ("ad-hoc", "command command"),
    ("attach", "command upload"), ("attach", "action pickFiles"), ("photo", "command upload"),
    ("dcc", "command upload"), ("download", "command save"), ("download", "action saveFile"),
    ("share", "command forward"), ("locate", "command where"), ("resend", "command retry"),
    ("abort", "command cancel"), ("reconnect", "action connectNow"),
    ("reconnect", "command connect"), ("hang up", "command disconnect"), ("mam", "command sync"),
    ("catch up", "command sync"), ("jump", "command goto"), ("calendar", "command goto"),
    ("like", "command react"), ("thumbs up", "action reactMessage"), ("retract", "command delete"),
    ("unsend", "command delete"), ("recall", "command delete"), ("url", "action links"),
    ("browser", "command link"), ("inbox", "command chats"), ("roster", "command contacts"),
    ("friends", "command contacts"), ("browse", "command discover"),
    ("directory", "command discover"), ("gallery", "command files"),
    ("preferences", "command settings"), ("options", "command settings"),
    ("locale", "command lang"), ("lag", "command ping"), ("latency", "command ping"),
    ("dark mode", "command theme"), ("dark mode", "action toggleTheme"),
    ("colours", "command theme"), ("repaint", "action redraw"), ("garbled", "command redraw"),
    ("rehash", "command reload"), ("log off", "command logout"), ("passphrase", "command password"),
    ("close account", "command unregister"), ("bye", "command quit"), (":q", "command quit"),
    ("exit", "command quit"), ("smiley", "action pickEmoji"), ("zoom", "action viewPicture"),
    ("backlog", "action loadMissing"), ("multiline", "action newLine"), ("vim", "action editDraft"),
    ("kill word", "action cutWordBackward"), ("buflist", "action toggleSidebar"),
    ("bare display", "action plainView"), ("hotlist", "action nextUnread"),
    ("background", "action suspend"), ("online", "command back"),
  ]

  /// The last ones are English, which every language finds.
  private static let french: [(String, String)] = [
    ("sourdine", "command notify"), ("muet", "command mute"), ("citer", "command reply"),
    ("modifier", "command edit"), ("faute de frappe", "action editMessage"),
    ("presse-papiers", "command copy"), ("rechercher", "command search"), ("favori", "action pin"),
    ("archiver", "command close"), ("pièce jointe", "command upload"),
    ("joindre", "action pickFiles"), ("télécharger", "command save"), ("pseudo", "command nick"),
    ("marque-page", "command join"), ("ami", "command add"), ("préférences", "command settings"),
    ("sombre", "command theme"), ("occupé", "command dnd"), ("retirer", "command delete"),
    ("j'aime", "command react"), ("quitter le groupe", "command leave"),
    ("annuaire", "command discover"), ("renvoyer", "command retry"), ("afk", "command away"),
    ("lastlog", "command search"), ("unfriend", "command remove"), ("dark mode", "command theme"),
    ("zoom", "action viewPicture"), ("attach", "command upload"), ("muc", "command join"),
  ]

  /// The last ones are English, which every language finds.
  private static let chinese: [(String, String)] = [
    ("静音", "command notify"), ("免打扰", "command mute"), ("引用", "command reply"),
    ("撤回", "command delete"), ("点赞", "command react"), ("剪贴板", "command copy"),
    ("收藏", "action pin"), ("归档", "command close"), ("附件", "command upload"),
    ("照片", "action pickFiles"), ("下载", "command save"), ("改名", "command nick"),
    ("群聊", "command join"), ("加好友", "command add"), ("拉黑", "command block"),
    ("偏好", "command settings"), ("深色", "command theme"), ("忙碌", "command dnd"),
    ("编辑", "command edit"), ("名片", "command whois"), ("退群", "command leave"),
    ("目录", "command discover"), ("网址", "action links"), ("lastlog", "command search"),
    ("unfriend", "command remove"), ("dark mode", "command theme"), ("zoom", "action viewPicture"),
    ("attach", "command upload"), ("muc", "command join"), ("mute", "command notify"),
  ]
}
