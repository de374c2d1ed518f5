import { escapeInvisible } from './escape-invisible.ts'

/** Text of somebody else's, with nothing in it that a reader would not see. */
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
