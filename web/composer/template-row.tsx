import { useMutation, useQueryClient } from '@tanstack/react-query'

import { escapeHidden } from '../../src/kernel/escape-hidden.ts'
import { operations } from '../../src/operations/all.contract.ts'
import type { BrokenTemplate, Template } from '../../src/work/templates/contract.ts'
import { call } from '../client.ts'
import { ErrorLine } from '../parts/error-line.tsx'
import { Sign } from '../parts/state.tsx'
import { keys } from '../queries.ts'
import { counted } from '../text.ts'
import { needsTrust, Starts } from '../trusted-files/starts.tsx'
import { Field } from './field.tsx'
import { templatesQuery } from './queries.ts'

/** Starting points: those of the home and those that are built in. A second press on one takes it back. */
export function TemplateField({
  templates,
  broken,
  folder,
  chosen,
  onChoose,
}: {
  templates: readonly Template[]
  broken: readonly BrokenTemplate[]
  folder: string | null
  chosen: Template | null
  onChoose: (template: Template | null) => void
}) {
  return (
    <Field label="Template">
      <div className="facts">
        {templates.map((template) => (
          <button
            key={template.name}
            type="button"
            aria-pressed={template.name === chosen?.name}
            title={template.description}
            onClick={() => onChoose(template.name === chosen?.name ? null : template)}
          >
            {template.title}
          </button>
        ))}
      </div>
      {chosen !== null && chosen.description !== '' && <p className="muted">{chosen.description}</p>}
      {chosen !== null && chosen.review !== null && needsTrust(chosen.review) && (
        <TrustTemplate template={chosen} onTrusted={(template) => onChoose(template)} />
      )}
      {broken.length > 0 && (
        <details>
          <summary>
            <span className="tone-bad">
              <Sign tone="bad" />
            </span>{' '}
            {counted(broken.length, 'template file')} cannot be used
          </summary>
          <ul className="plain">
            {broken.flatMap(({ path, faults }) =>
              faults.map(({ line, column, message }) => (
                <li key={`${path} ${line} ${column} ${message}`}>
                  <code>
                    {escapeHidden(path)}
                    {line !== null && `:${line}:${column}`}
                  </code>{' '}
                  {escapeHidden(message)}
                </li>
              )),
            )}
          </ul>
        </details>
      )}
      {folder !== null && (
        <p className="muted">
          Files in <code>{folder}</code> are templates of yours.
        </p>
      )}
    </Field>
  )
}

/** The commands of the template stay out of the form until exactly this text is trusted. */
function TrustTemplate({ template, onTrusted }: { template: Template; onTrusted: (template: Template) => void }) {
  const queries = useQueryClient()
  const { path, text, review } = template
  const trust = useMutation({
    mutationFn: async () => {
      const hash = review?.hash ?? ''
      await call(operations.trustedFile.trust, { text: text ?? '', hash, ...(path === null ? {} : { name: path }) })
      await queries.invalidateQueries({ queryKey: keys.trustedFiles })
      return queries.fetchQuery(templatesQuery)
    },
    onSuccess: ({ templates }) => {
      const found = templates.find(({ name }) => name === template.name)
      if (found !== undefined) onTrusted(found)
    },
  })
  if (review === null) return null
  return (
    <div className="file-review">
      <p className="tone-waiting">
        <Sign tone="waiting" /> This file starts commands and is not trusted yet, so the form leaves them out.
      </p>
      <Starts name={path ?? template.title} review={review} />
      {trust.isError && <ErrorLine error={trust.error} />}
      <button type="button" disabled={trust.isPending} onClick={() => trust.mutate()}>
        Trust this template and fill in its commands
      </button>
    </div>
  )
}
