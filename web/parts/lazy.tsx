import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'

import { Unreachable } from '../client.ts'
import { Heading } from './heading.tsx'
import { Failure, Skeleton } from './notices.tsx'

/**
 * Creates a component whose code is loaded on first use. The code is fetched like any other response, so it has the same
 * states while it loads and while the daemon is unreachable, and loads by itself when the daemon is back.
 */
export function createLazy<Props extends object>(
  { name, heading = false }: { name: string; heading?: boolean },
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  // Not by its name: two components may have the same one.
  const query = {
    queryKey: ['code', ++created],
    queryFn: () => load().catch((error: unknown) => Promise.reject(new Unreachable(error))),
    gcTime: Infinity,
  }
  return function Lazy(props: Props) {
    const code = useQuery(query)
    const Loaded = code.data
    if (Loaded !== undefined) return <Loaded {...props} />
    return (
      <>
        {heading && <Heading title={name} />}
        {code.isError ? (
          <Failure error={code.error} retry={() => void code.refetch()} name={name} />
        ) : (
          <Skeleton lines={8} label={name} />
        )}
      </>
    )
  }
}

let created = 0
