import { ArrowLeft } from 'lucide-react'
import { Link } from 'react-router-dom'
import { paths } from '../../paths.ts'

export function Back() {
  return (
    <Link to={paths.email} className="mb-2 inline-flex items-center gap-1.5 text-13 text-muted hover:text-text max-md:py-2">
      <ArrowLeft className="size-3.5" />
      Campaigns
    </Link>
  )
}
