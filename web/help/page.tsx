import { useQuery } from '@tanstack/react-query'

import { PlayDemo } from '../demos/play.tsx'
import { Heading } from '../parts/heading.tsx'
import { Command, Skeleton } from '../parts/notices.tsx'
import { statusQuery } from '../queries.ts'
import { Glossary } from '../words/glossary.tsx'
import { Keys } from './keys.tsx'

/** Answers how the command line is reached, which demonstrations there are, which keys work, and what a word means. */
export function HelpPage() {
  const status = useQuery(statusQuery)
  return (
    <>
      <Heading title="Help" />
      <section className="part" aria-label="The command line">
        <h2>“agency” in your terminal</h2>
        <p>
          Texts of this page write commands as <code>agency …</code>. This command puts it on your PATH: it writes one
          small script into <code>~/.local/bin</code> and replaces no other file.
        </p>
        {status.data === undefined ? (
          <Skeleton lines={1} label="the command" />
        ) : (
          <Command text={`${status.data.command} path --add`} />
        )}
        <p className="muted">
          In a clone of Agency, <code>npx agency path --add</code> does the same.
        </p>
      </section>
      <section className="part" aria-label="Demonstrations">
        <h2>Demonstrations</h2>
        <PlayDemo />
      </section>
      <section className="part" aria-label="Keys">
        <h2>Keys</h2>
        <Keys />
      </section>
      <section className="part" aria-label="Words">
        <h2>Words</h2>
        <Glossary />
      </section>
    </>
  )
}
