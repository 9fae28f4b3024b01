// Nodes of a for Shader Graph 17.5 and newer, by reflection. Older ones ignore this file.
#include "ShaderApiReflectionSupport.hlsl"
#include "a.hlsl"

#ifndef NEURALSHADE_A_NODES_INCLUDED
#define NEURALSHADE_A_NODES_INCLUDED

///<funchints>
///    <sg:ProviderKey>neuralshade.a_Color</sg:ProviderKey>
///    <sg:DisplayName>a Color</sg:DisplayName>
///    <sg:SearchCategory>neuralshade/a</sg:SearchCategory>
///</funchints>
UNITY_EXPORT_REFLECTION
void a_Color_node(UnityTexture2D Numbers, float2 UV, out float3 Color)
{
    a_Color_float(Numbers, UV, Color);
}

///<funchints>
///    <sg:ProviderKey>neuralshade.a_Area</sg:ProviderKey>
///    <sg:DisplayName>a Area</sg:DisplayName>
///    <sg:SearchCategory>neuralshade/a</sg:SearchCategory>
///</funchints>
UNITY_EXPORT_REFLECTION
void a_Area_node(UnityTexture2D Numbers, float2 UV, out float3 Color)
{
    a_Area_float(Numbers, UV, Color);
}

#endif // NEURALSHADE_A_NODES_INCLUDED
