import type { ReactNode } from 'react'
import { PublicLayout } from './PublicLayout.tsx'

type Props = { art: ReactNode; title: string; children?: ReactNode; actions?: ReactNode }

/** A page of one sentence: what happened, and where it goes on. */
export function PublicMessage({ art, title, children, actions }: Props) {
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col justify-center px-5 py-20 md:px-8">
        {art}
        <h1 className="mt-8 max-w-[20ch] text-40 font-semibold">{title}</h1>
        {children ? <div className="mt-4 flex max-w-[52ch] flex-col gap-3 text-muted">{children}</div> : null}
        {actions ? <div className="mt-7 flex flex-wrap gap-2">{actions}</div> : null}
      </div>
    </PublicLayout>
  )
}
