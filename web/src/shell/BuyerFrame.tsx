import type { ReactNode } from 'react'
import { useLiveSocket } from '../api/live.ts'
import { DemoLine } from './DemoLine.tsx'
import { PublicLayout } from './PublicLayout.tsx'

/** The signed-in pages of a buyer: the public header, never the seller's sidebar. */
export function BuyerFrame({ children }: { children: ReactNode }) {
  useLiveSocket()
  return (
    <PublicLayout footer={false}>
      <DemoLine />
      <div className="rail flex w-full flex-1 flex-col">{children}</div>
    </PublicLayout>
  )
}
