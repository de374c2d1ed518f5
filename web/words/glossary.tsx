import { useState } from 'react'

import { glossary } from '../../src/kernel/glossary.ts'

/** Lists the words of the product; the field above leaves those that contain its text. */
export function Glossary() {
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const shown = glossary.filter(({ word, meaning }) => `${word} ${meaning}`.toLowerCase().includes(wanted))
  return (
    <>
      <input
        type="search"
        aria-label="Find a word"
        placeholder="Find a word"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <dl className="glossary" aria-live="polite">
        {shown.map(({ word, meaning }) => (
          <div key={word}>
            <dt>{word}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      {shown.length === 0 && <p className="muted">No word contains “{text}”.</p>}
    </>
  )
}
