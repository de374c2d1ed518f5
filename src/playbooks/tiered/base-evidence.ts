import { Evidence } from '../../work/evidence/contract.ts'
import type { Proof } from './contract.ts'

/** Converts the evidence that a planner asks for into evidence that the engine checks. */
export function evidenceOf(proof: Proof): Evidence {
  switch (proof.kind) {
    case 'file':
      return {
        kind: 'file',
        path: proof.path,
        minBytes: proof.min_bytes ?? 1,
        ...(proof.contains === undefined ? {} : { contains: proof.contains }),
      }
    case 'artifact':
      return { kind: 'artifact', ...(proof.path === undefined ? {} : { path: proof.path }) }
    case 'schema':
      return {
        kind: 'schema',
        path: proof.path,
        ...(proof.schema === undefined ? {} : { schema: proof.schema }),
        ...(proof.schema_path === undefined ? {} : { schemaPath: proof.schema_path }),
      }
  }
}

/** Returns the faults of evidence, such as a path outside the workspace or a missing schema. */
export function faultsOfProofs(of: string, proofs: readonly Proof[]): string[] {
  return proofs.flatMap((proof) => {
    const checked = Evidence.safeParse(evidenceOf(proof))
    return checked.success
      ? []
      : checked.error.issues.map(({ message }) => `${of}: evidence ${proof.kind} ${proof.path ?? ''} ${message}`)
  })
}
