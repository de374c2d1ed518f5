import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'

import { Unreachable } from '../client.ts'
import { Heading } from './heading.tsx'
import { Failure, Skeleton } from './notices.tsx'

/**
 * A part whose code only some pages need. It is asked for like any other answer, so that it has the same states while it
 * loads and when the daemon is away, and comes by itself when the daemon is back.
 */
export function createLazy<Props extends object>(
  { name, heading = false }: { name: string; heading?: boolean },
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const query = {
    queryKey: ['code', name],
    queryFn: () => load().catch((error: unknown) => Promise.reject(new Unreachable(error))),
    gcTime: Infinity,
  }
  return function Later(props: Props) {
    const code = useQuery(query)
    const Part = code.data
    if (Part !== undefined) return <Part {...props} />
    return (
      <>
        {heading && <Heading title={name} />}
        {code.isError ? (
          <Failure error={code.error} retry={() => void code.refetch()} what={name} />
        ) : (
          <Skeleton lines={8} label={name} />
        )}
      </>
    )
  }
}
