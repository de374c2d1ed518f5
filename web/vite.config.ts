import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: '/',
  plugins: [react()],
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    // The daemon's Content-Security-Policy allows scripts, styles and images from its own files only: nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `AGENCY_ADDRESS=http://127.0.0.1:7717 npx vite web` shows changes at once and proxies requests to a running daemon.
  server: { proxy: proxied(process.env['AGENCY_ADDRESS']) },
})

function proxied(address: string | undefined): Record<string, { target: string; changeOrigin: boolean }> {
  if (address === undefined) return {}
  const target = { target: address, changeOrigin: true }
  return { '/api': target, '/enter': target }
}
