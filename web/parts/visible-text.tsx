import { escapeInvisible } from './escape-invisible.ts'

/** Shows foreign text with its invisible characters made visible. */
export const VisibleText = ({ text }: { text: string }) =>
  escapeInvisible(text).map((piece, index) =>
    piece.odd ? (
      <mark key={index} className="odd-sign">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  )
