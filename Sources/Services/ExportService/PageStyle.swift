/// The head of a page: it has no script, loads nothing, and looks the same without a network.
enum PageStyle {
  /// Allows nothing but the style in the page (Content Security Policy Level 3).
  static let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"

  /// The style, for light and dark screens and for paper.
  static let text = """
    :root { color-scheme: light dark; --text: #1b1b1b; --page: #fff; --soft: #5c5c5c;
      --in: #f1f1f1; --out: #e2eefc; --line: #ccc; --link: #0b57a4; }
    @media (prefers-color-scheme: dark) { :root { --text: #e4e4e4; --page: #16181b;
      --soft: #a3a3a3; --in: #24272b; --out: #1d3349; --line: #444; --link: #8ab8f0; } }
    body { margin: 0 auto; max-width: 50rem; padding: 1rem; color: var(--text);
      background: var(--page); font: 1rem/1.45 system-ui, sans-serif; }
    a { color: var(--link); overflow-wrap: anywhere; }
    h2 { margin-top: 3rem; border-bottom: 2px solid var(--line); overflow-wrap: anywhere; }
    h3 { font-size: 1rem; text-align: center; color: var(--soft); }
    article { margin: .5rem 15% .5rem 0; padding: .4rem .8rem; border-radius: .6rem;
      background: var(--in); break-inside: avoid-page; }
    article.out { margin: .5rem 0 .5rem 15%; background: var(--out); }
    article:target { outline: 2px solid var(--link); }
    article p, article div { margin: .1rem 0; }
    .head, .note, .address, .gap { color: var(--soft); font-size: .85rem; }
    .name { font-weight: bold; color: var(--text); }
    .body { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
    .gone .body { font-style: italic; color: var(--soft); }
    .gap { text-align: center; border-top: 1px dashed var(--line); padding-top: .3rem; }
    .failed { font-weight: bold; }
    blockquote { margin: .2rem 0; padding-left: .6rem; border-left: 3px solid var(--line);
      color: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
    @media print { body { max-width: none; color: #000; background: #fff; }
      section { break-before: page; } section:first-of-type { break-before: auto; }
      article, article.out { background: none; border: 1px solid #999; } }
    """
}
