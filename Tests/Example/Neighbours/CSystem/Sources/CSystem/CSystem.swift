/// Stands for the well-known package of this name.
public enum CSystem {}
