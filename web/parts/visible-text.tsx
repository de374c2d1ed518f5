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

// oxlint-disable-next-line no-control-regex -- Colours begin with a control character.
const colours = /\u001b\[[0-9;]*m/g

/** Shows a foreign text of several lines; the line breaks stay, and colours of a terminal are left out. */
export const VisibleLines = ({ text }: { text: string }) =>
  text
    .replace(colours, '')
    .split(/\r?\n/)
    .map((line, index) => (
      <Fragment key={index}>
        {index > 0 && '\n'}
        <VisibleText text={line} />
      </Fragment>
    ))
