import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

import { App } from './app.tsx'
import { createLive } from './live/live.ts'
import { LiveContext } from './live/use-live.ts'
import { createQueryClient } from './queries.ts'
import { prepareSession } from './session.ts'

await prepareSession()

const queryClient = createQueryClient()
const live = createLive(queryClient)
live.start()

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LiveContext value={live}>
        <App />
      </LiveContext>
    </QueryClientProvider>
  </StrictMode>,
)
