import { ArrowLeft } from 'lucide-react'
import { Link } from 'react-router-dom'
import { paths } from '../../paths.ts'

/** To the list of campaigns, or where `search` leads in the studio. */
export function Back({ search = '', children = 'Campaigns' }: { search?: string; children?: string }) {
  return (
    <Link to={`${paths.email}${search}`} className="mb-2 inline-flex items-center gap-1.5 text-13 text-muted hover:text-text max-md:py-2">
      <ArrowLeft className="size-3.5" />
      {children}
    </Link>
  )
}
