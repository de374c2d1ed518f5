import { Fragment } from 'react'

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

/** Shows a foreign text of several lines; the line breaks stay. */
export const VisibleLines = ({ text }: { text: string }) =>
  text.split('\n').map((line, index) => (
    <Fragment key={index}>
      {index > 0 && '\n'}
      <VisibleText text={line} />
    </Fragment>
  ))
