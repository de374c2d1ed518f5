import type { z } from 'zod'

import type { Artifact } from '../../src/work/artifacts/contract.ts'

/** A document of a run, as far as it could be read. */
export interface Read<Content> {
  readonly artifact: Artifact
  /** null: it has not the shape that its name promises. */
  readonly content: Content | null
}

type Documents = { readonly artifacts: readonly Artifact[] }

/** The newest version of a document, where there is one. */
export function newestDocument<Content>(
  { artifacts }: Documents,
  name: string,
  schema: z.ZodType<Content>,
): Read<Content> | null {
  const found = artifacts.findLast((each) => each.name === name && each.content !== null)
  return found === undefined ? null : read(found, schema)
}

/** The newest version of each document whose name begins so, by the rest of its name. */
export function documentsBelow<Content>(
  { artifacts }: Documents,
  prefix: string,
  schema: z.ZodType<Content>,
): Map<string, Read<Content>> {
  const found = new Map<string, Read<Content>>()
  for (const each of artifacts)
    if (each.content !== null && each.name.startsWith(prefix))
      found.set(each.name.slice(prefix.length), read(each, schema))
  return found
}

/** The newest version that each of its authors has left: one for every wave. */
export function documentsOfAuthors<Content>(
  { artifacts }: Documents,
  name: string,
  schema: z.ZodType<Content>,
): Read<Content>[] {
  const found = new Map(
    artifacts.filter((each) => each.name === name && each.content !== null).map((each) => [each.briefId, each]),
  )
  return [...found.values()].map((each) => read(each, schema))
}

/** A version never changes, and an answer that is the same keeps its objects: each is read once. */
const readings = new WeakMap<Artifact, { schema: z.ZodType; reading: Read<unknown> }>()

function read<Content>(artifact: Artifact, schema: z.ZodType<Content>): Read<Content> {
  const known = readings.get(artifact)
  if (known?.schema === schema) return known.reading as Read<Content>
  const reading: Read<Content> = { artifact, content: contentOf(artifact, schema) }
  readings.set(artifact, { schema, reading })
  return reading
}

function contentOf<Content>({ content }: Artifact, schema: z.ZodType<Content>): Content | null {
  try {
    return schema.safeParse(JSON.parse(content ?? 'null')).data ?? null
  } catch {
    return null
  }
}
