import type { z } from 'zod'

import type { Artifact } from '../../src/work/artifacts/contract.ts'

/** A document of a run with its parsed content. */
export interface ParsedDocument<Content> {
  readonly artifact: Artifact
  /** null: the document does not match the schema of its name. */
  readonly content: Content | null
}

type Documents = { readonly artifacts: readonly Artifact[] }

/** Returns the newest version of a document, if there is one. */
export function newestDocument<Content>(
  { artifacts }: Documents,
  name: string,
  schema: z.ZodType<Content>,
): ParsedDocument<Content> | null {
  const found = artifacts.findLast((each) => each.name === name && each.content !== null)
  return found === undefined ? null : read(found, schema)
}

/** Returns the newest version of each document with a prefix, keyed by the rest of its name. */
export function documentsBelow<Content>(
  { artifacts }: Documents,
  prefix: string,
  schema: z.ZodType<Content>,
): Map<string, ParsedDocument<Content>> {
  const found = new Map<string, ParsedDocument<Content>>()
  for (const each of artifacts)
    if (each.content !== null && each.name.startsWith(prefix))
      found.set(each.name.slice(prefix.length), read(each, schema))
  return found
}

/** Returns the newest version by each author of a document: one for every wave. */
export function documentsOfAuthors<Content>(
  { artifacts }: Documents,
  name: string,
  schema: z.ZodType<Content>,
): ParsedDocument<Content>[] {
  const found = new Map(
    artifacts.filter((each) => each.name === name && each.content !== null).map((each) => [each.briefId, each]),
  )
  return [...found.values()].map((each) => read(each, schema))
}

/** A version never changes, and an unchanged response keeps its objects, so each document is parsed once. */
const parsed = new WeakMap<Artifact, { schema: z.ZodType; document: ParsedDocument<unknown> }>()

function read<Content>(artifact: Artifact, schema: z.ZodType<Content>): ParsedDocument<Content> {
  const known = parsed.get(artifact)
  if (known?.schema === schema) return known.document as ParsedDocument<Content>
  const document: ParsedDocument<Content> = { artifact, content: contentOf(artifact, schema) }
  parsed.set(artifact, { schema, document })
  return document
}

function contentOf<Content>({ content }: Artifact, schema: z.ZodType<Content>): Content | null {
  try {
    return schema.safeParse(JSON.parse(content ?? 'null')).data ?? null
  } catch {
    return null
  }
}
