// The programs that sent messages for the user.
enum SendersSchema {
  static let sql = """
    -- The name of the script, or of the other program, that sent it for the user; NULL: the user
    -- wrote it, or it is not known.
    ALTER TABLE message ADD COLUMN sent_by TEXT;
    """
}
