/** A post as it arrives: the contract's six fields, unchecked. */
export interface FloorPost {
  readonly locationName: string;
  readonly deviceName: string;
  readonly deviceId: string;
  readonly habitacion: string;
  readonly valor: number;
  readonly createdTime: number;
}

export interface FloorThreadSettings {
  readonly file: string;
  /** Whose records all of them are. */
  readonly userId: string;
}
