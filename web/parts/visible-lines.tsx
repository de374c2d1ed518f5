import { Fragment } from 'react'

import { VisibleText } from './visible-text.tsx'

// oxlint-disable-next-line no-control-regex -- Colours begin with a control character.
const colours = /\u001b\[[0-9;]*m/g

/** Shows foreign text of several lines with its invisible characters made visible; colours of a terminal are left out. */
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
